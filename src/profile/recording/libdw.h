/* SPDX-License-Identifier: MIT */
/*
 * The functions of libdw, as far as they are used. The library is loaded when debug information is
 * first looked for (base/late.h), and its functions are called by their names all the same:
 * whoever uses them includes this file in place of <elfutils/libdw.h> and <elfutils/libdwfl.h>.
 */
#ifndef PMK_RECORDING_LIBDW_H
#define PMK_RECORDING_LIBDW_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdbool.h>

#define PMK_LIBDW_LIBRARY "libdw.so.1"

/* clang-format off */
#define PMK_LIBDW_FUNCTIONS(X) \
	X(dwarf_attr) X(dwarf_attr_integrate) X(dwarf_child) X(dwarf_decl_file) \
	X(dwarf_decl_line) X(dwarf_diename) X(dwarf_dieoffset) X(dwarf_entrypc) \
	X(dwarf_filesrc) X(dwarf_formstring) X(dwarf_formudata) X(dwarf_get_units) \
	X(dwarf_getfuncs) X(dwarf_getsrc_die) X(dwarf_getsrcfiles) X(dwarf_getsrclines) \
	X(dwarf_lineaddr) X(dwarf_linebeginstatement) X(dwarf_lineendsequence) \
	X(dwarf_lineno) X(dwarf_linesrc) X(dwarf_onesrcline) X(dwarf_ranges) \
	X(dwarf_siblingof) X(dwarf_tag) X(dwfl_begin) X(dwfl_build_id_find_elf) X(dwfl_end) \
	X(dwfl_module_address_section) X(dwfl_module_build_id) X(dwfl_module_getdwarf) \
	X(dwfl_module_getelf) X(dwfl_module_getsym_info) X(dwfl_module_getsymtab) \
	X(dwfl_offline_section_address) X(dwfl_report_end) X(dwfl_report_offline) \
	X(dwfl_standard_find_debuginfo)
/* clang-format on */

struct pmk_libdw {
#define PMK_LIBDW_POINTER(name) __typeof__(name) *name##_;
	PMK_LIBDW_FUNCTIONS(PMK_LIBDW_POINTER)
#undef PMK_LIBDW_POINTER
};

extern struct pmk_libdw pmk_libdw;

/* False: it cannot be loaded. No function may be called before this. */
bool pmk_libdw_load(void);

#define dwarf_attr		     pmk_libdw.dwarf_attr_
#define dwarf_attr_integrate	     pmk_libdw.dwarf_attr_integrate_
#define dwarf_child		     pmk_libdw.dwarf_child_
#define dwarf_decl_file		     pmk_libdw.dwarf_decl_file_
#define dwarf_decl_line		     pmk_libdw.dwarf_decl_line_
#define dwarf_diename		     pmk_libdw.dwarf_diename_
#define dwarf_dieoffset		     pmk_libdw.dwarf_dieoffset_
#define dwarf_entrypc		     pmk_libdw.dwarf_entrypc_
#define dwarf_filesrc		     pmk_libdw.dwarf_filesrc_
#define dwarf_formstring	     pmk_libdw.dwarf_formstring_
#define dwarf_formudata		     pmk_libdw.dwarf_formudata_
#define dwarf_get_units		     pmk_libdw.dwarf_get_units_
#define dwarf_getfuncs		     pmk_libdw.dwarf_getfuncs_
#define dwarf_getsrc_die	     pmk_libdw.dwarf_getsrc_die_
#define dwarf_getsrcfiles	     pmk_libdw.dwarf_getsrcfiles_
#define dwarf_getsrclines	     pmk_libdw.dwarf_getsrclines_
#define dwarf_lineaddr		     pmk_libdw.dwarf_lineaddr_
#define dwarf_linebeginstatement     pmk_libdw.dwarf_linebeginstatement_
#define dwarf_lineendsequence	     pmk_libdw.dwarf_lineendsequence_
#define dwarf_lineno		     pmk_libdw.dwarf_lineno_
#define dwarf_linesrc		     pmk_libdw.dwarf_linesrc_
#define dwarf_onesrcline	     pmk_libdw.dwarf_onesrcline_
#define dwarf_ranges		     pmk_libdw.dwarf_ranges_
#define dwarf_siblingof		     pmk_libdw.dwarf_siblingof_
#define dwarf_tag		     pmk_libdw.dwarf_tag_
#define dwfl_begin		     pmk_libdw.dwfl_begin_
#define dwfl_build_id_find_elf	     pmk_libdw.dwfl_build_id_find_elf_
#define dwfl_end		     pmk_libdw.dwfl_end_
#define dwfl_module_address_section  pmk_libdw.dwfl_module_address_section_
#define dwfl_module_build_id	     pmk_libdw.dwfl_module_build_id_
#define dwfl_module_getdwarf	     pmk_libdw.dwfl_module_getdwarf_
#define dwfl_module_getelf	     pmk_libdw.dwfl_module_getelf_
#define dwfl_module_getsym_info	     pmk_libdw.dwfl_module_getsym_info_
#define dwfl_module_getsymtab	     pmk_libdw.dwfl_module_getsymtab_
#define dwfl_offline_section_address pmk_libdw.dwfl_offline_section_address_
#define dwfl_report_end		     pmk_libdw.dwfl_report_end_
#define dwfl_report_offline	     pmk_libdw.dwfl_report_offline_
#define dwfl_standard_find_debuginfo pmk_libdw.dwfl_standard_find_debuginfo_

#endif
