/* SPDX-License-Identifier: MIT */
/* Generated from page.css and page.js by scripts/embed. */
#ifndef PMK_CLI_HTML_ASSETS_H
#define PMK_CLI_HTML_ASSETS_H

extern const char html_css[], html_js[];
/* The hash of the script for the Content-Security-Policy, which lets no other script run. */
extern const char html_js_hash[];

#endif
