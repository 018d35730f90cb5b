// SPDX-License-Identifier: MIT
/*
 * Presets of cores. A preset is an INI file. A section and a name together are a key: "size" in
 * [icache] is icache.size. [core] holds the eight texts (name, pmu, qemu_cpu, isa, brief, caveat,
 * checked, checked_as) and the keys without a section, such as clock.
 *
 * The texts isa and pmu decide what a key means, but a key may come before them in the file. So pmk
 * reads the file twice. The first reading is only for the texts, and reports no problems.
 */
#include <stdio.h>
#include <string.h>

#include <pmk/error.h>

#include "base/file.h"
#include "base/ini.h"
#include "base/sha256.h"
#include "cpu/config.h"

struct reading {
	struct pmk_core *core;
	bool settled; /* true if the core's family is known */
};

/* Returns the member for one of the texts in [core], or NULL if `name` is not such a text. */
static char *find_text(struct pmk_core *core, const char *name, size_t *size)
{
	const struct {
		const char *name;
		char *text;
		size_t size;
	} texts[] = {
		{ "name", core->name, sizeof(core->name) },
		{ "pmu", core->pmu, sizeof(core->pmu) },
		{ "qemu_cpu", core->qemu_cpu, sizeof(core->qemu_cpu) },
		{ "isa", core->isa, sizeof(core->isa) },
		{ "brief", core->brief, sizeof(core->brief) },
		{ "caveat", core->caveat, sizeof(core->caveat) },
		{ "checked", core->checked, sizeof(core->checked) },
		{ "checked_as", core->checked_as, sizeof(core->checked_as) },
	};

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (strcmp(name, texts[i].name) != 0)
			continue;
		*size = texts[i].size;
		return texts[i].text;
	}
	return NULL;
}

/* Handles an entry in the first reading. pmk_ini_load() calls it. */
static bool take_text(void *ctx, struct pmk_ini *ini, const char *section, const char *name,
		      const char *value)
{
	struct reading *r = ctx;
	size_t size = 0;
	char *text = section && !strcmp(section, "core") ? find_text(r->core, name, &size) : NULL;

	(void)ini;
	if (text)
		snprintf(text, size, "%s", value);
	return true;
}

/* Checks the preset as a whole. */
static bool check_preset(const struct reading *r, struct pmk_ini *ini)
{
	const struct pmk_core *core = r->core;
	char isas[64];

	if (!core->name[0] || !core->pmu[0] || !core->qemu_cpu[0] || !core->isa[0])
		return pmk_ini_fail(ini, ini->line, "[core] needs name, pmu, qemu_cpu and isa");
	if (r->settled)
		return true;
	pmk_core_isas(isas, sizeof(isas));
	return pmk_ini_fail(ini, ini->line, "isa is %s, not '%s'", isas, core->isa);
}

/* Handles an entry in the second reading. pmk_ini_load() calls it. */
static bool take_entry(void *ctx, struct pmk_ini *ini, const char *section, const char *name,
		       const char *value)
{
	struct reading *r = ctx;
	char key[128], why[256], *text = NULL;
	size_t size = 0;

	if (!section)
		return check_preset(r, ini);
	if (strcmp(section, "core") == 0) {
		text = find_text(r->core, name, &size);
		snprintf(key, sizeof(key), "%.100s", name);
	} else {
		snprintf(key, sizeof(key), "%.60s.%.60s", section, name);
	}
	for (const char *c = text ? value : ""; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			return pmk_ini_fail(ini, ini->line, "the text has a control character");
	if (text && strlen(value) >= size)
		return pmk_ini_fail(ini, ini->line, "the text is too long");
	if (text) {
		strcpy(text, value);
		return true;
	}
	if (r->settled && pmk_core_set(r->core, key, value, why, sizeof(why)) != 0)
		return pmk_ini_fail(ini, ini->line, "%s", why);
	return true;
}

/* ---- what was checked ------------------------------------------------------------------------ */

void pmk_core_fingerprint(const struct pmk_core *core, char text[PMK_CORE_FINGERPRINT])
{
	struct pmk_core initial = *core;
	uint8_t hash[PMK_SHA256];
	struct pmk_sha256 h;
	char line[128];
	int n;

	pmk_core_settle(&initial);
	pmk_sha256_begin(&h);
	pmk_sha256_add(&h, core->isa, strlen(core->isa) + 1);
	for (const struct pmk_core_key *k = pmk_core_keys(core); k->key; k++) {
		if (pmk_core_value(core, k) == pmk_core_value(&initial, k))
			continue;
		n = snprintf(line, sizeof(line), "%s=%llu", k->key,
			     (unsigned long long)pmk_core_value(core, k));
		pmk_sha256_add(&h, line, (size_t)n + 1);
	}
	pmk_sha256_end(&h, hash);
	pmk_sha256_text(hash, (PMK_CORE_FINGERPRINT - 1) / 2, text);
}

void pmk_core_keep_checked(struct pmk_core *core, const struct pmk_core *from)
{
	if (!pmk_core_same(core, from))
		*core->checked = '\0';
}

const char *pmk_core_checked(const struct pmk_core *core)
{
	return *core->checked ? core->checked : "unchecked";
}

int pmk_core_load(struct pmk_core *core, const char *path, char *msg, unsigned size)
{
	struct reading r = { .core = core };
	char fingerprint[PMK_CORE_FINGERPRINT];
	const char *why;
	FILE *f = pmk_file_open(path, false, &why); /* a pipe cannot be read twice */
	int err;

	if (!f) {
		snprintf(msg, size, "%s: %s", path, why);
		return PMK_EIO;
	}
	fclose(f);
	pmk_core_defaults(core);
	/* Ignore errors here: the second reading reports them. */
	pmk_ini_load(path, NULL, take_text, &r, msg, size);
	r.settled = pmk_core_settle(core) == 0;
	err = pmk_ini_load(path, NULL, take_entry, &r, msg, size);
	/* A preset whose parameters were changed since they were checked counts as unchecked. */
	if (!err) {
		pmk_core_fingerprint(core, fingerprint);
		if (strcmp(fingerprint, core->checked_as) != 0)
			*core->checked = '\0';
	}
	return err;
}
