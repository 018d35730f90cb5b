/* SPDX-License-Identifier: MIT */
/* Made of page.css and page.js by scripts/embed. */
#ifndef PMK_CLI_HTML_ASSETS_H
#define PMK_CLI_HTML_ASSETS_H

extern const char html_css[], html_js[];
/* Of the script, as a Content-Security-Policy names it: no other one runs. */
extern const char html_js_hash[];

#endif
