# SPDX-License-Identifier: MIT
################################################################################
#
# libpmk-target
#
################################################################################

LIBPMK_TARGET_VERSION = 0.1.0
LIBPMK_TARGET_SOURCE = pmukit-$(LIBPMK_TARGET_VERSION).tar.gz
# Where the file that `make dist` makes lies; for one on this machine, file:///FOLDER.
LIBPMK_TARGET_SITE ?= https://localhost.invalid/pmukit
LIBPMK_TARGET_LICENSE = MIT
LIBPMK_TARGET_LICENSE_FILES = LICENSE
LIBPMK_TARGET_DEPENDENCIES = host-python3
LIBPMK_TARGET_INSTALL_STAGING = YES
LIBPMK_TARGET_INSTALL_TARGET = NO

define LIBPMK_TARGET_BUILD_CMDS
	$(HOST_DIR)/bin/python3 $(@D)/scripts/amalgamate $(@D)/made
	$(TARGET_CC) $(TARGET_CFLAGS) -std=gnu11 -ffreestanding -c $(@D)/made/pmk_target.c \
		-o $(@D)/made/pmk_target.o
	$(TARGET_AR) rcs $(@D)/made/libpmk-target.a $(@D)/made/pmk_target.o
endef

define LIBPMK_TARGET_INSTALL_STAGING_CMDS
	$(INSTALL) -D -m 0644 $(@D)/made/libpmk-target.a $(STAGING_DIR)/usr/lib/libpmk-target.a
	$(INSTALL) -D -m 0644 $(@D)/made/pmk_target.h $(STAGING_DIR)/usr/include/pmk_target.h
	$(INSTALL) -D -m 0644 $(@D)/made/pmk_target.c $(STAGING_DIR)/usr/share/pmk/pmk_target.c
endef

$(eval $(generic-package))
