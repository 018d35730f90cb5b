// SPDX-License-Identifier: MIT
#include "profile/recording/pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"

/* The first byte of a page. */
enum {
	BRANCH_OF_KEYS = 2,
	BRANCH_OF_ROWIDS = 5,
	LEAF_OF_KEYS = 10,
	LEAF_OF_ROWIDS = 13,
};

#define LEAF_HEADER   8
#define BRANCH_HEADER 12
#define POINTER	      2 /* to a cell, after the header */
#define CHILD	      4 /* the number of a page, in a cell of a branch */

/* A page that SQLite uses for locks, so it is never part of a table. */
#define LOCK_PAGE (0x40000000 / PMK_PAGE_SIZE + 1)

/* The number of pages, in the header of the file. */
#define AT_NPAGES 28

/* How many bytes of a row are in its cell at most, and at least; overflow pages have the rest. */
#define MOST_BY_ROWID (PMK_PAGE_SIZE - 35)
#define MOST_BY_KEY   ((PMK_PAGE_SIZE - 12) * 64 / 255 - 23)
#define LEAST	      ((PMK_PAGE_SIZE - 12) * 32 / 255 - 23)
#define OVERFLOW_ROOM (PMK_PAGE_SIZE - 4)

/* ---- numbers -------------------------------------------------------------------------------- */

static void put_number(uint8_t *at, uint64_t value, unsigned bytes)
{
	while (bytes-- > 0) {
		at[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

/* Writes a number of 1 to 9 bytes, 7 bits each, all 8 in the ninth. Returns the bytes. */
static unsigned put_varint(uint8_t *at, uint64_t value)
{
	uint8_t low[9];
	unsigned n = 0;

	if (value >> 56) {
		at[8] = (uint8_t)value;
		value >>= 8;
		for (unsigned i = 8; i-- > 0; value >>= 7)
			at[i] = (uint8_t)(value | 0x80);
		return 9;
	}
	do {
		low[n++] = (uint8_t)(value & 0x7f);
		value >>= 7;
	} while (value);
	for (unsigned i = 0; i < n; i++)
		at[i] = low[n - 1 - i] | (i + 1 < n ? 0x80 : 0);
	return n;
}

/* ---- the file ------------------------------------------------------------------------------- */

static void pages_fail(struct pmk_pages *p, int err)
{
	if (!p->err)
		p->err = err ? err : EIO;
}

int pmk_pages_open(struct pmk_pages *p, const char *path)
{
	long size;

	*p = (struct pmk_pages){ .f = fopen(path, "r+be") };
	if (!p->f || setvbuf(p->f, NULL, _IOFBF, 1 << 18) || fseek(p->f, 0, SEEK_END) ||
	    (size = ftell(p->f)) < 0) {
		pages_fail(p, errno);
		return -1;
	}
	p->npages = (uint32_t)(size / PMK_PAGE_SIZE);
	return 0;
}

static void page_append(struct pmk_pages *p, const uint8_t *page)
{
	if (!p->err && fwrite(page, PMK_PAGE_SIZE, 1, p->f) != 1)
		pages_fail(p, errno);
}

/* Appends a page and returns its number. */
static uint32_t page_new(struct pmk_pages *p, const uint8_t *page)
{
	static const uint8_t nothing[PMK_PAGE_SIZE];

	if (++p->npages == LOCK_PAGE) {
		page_append(p, nothing);
		p->npages++;
	}
	page_append(p, page);
	return p->npages;
}

static void write_at(struct pmk_pages *p, uint64_t offset, const void *data, size_t size)
{
	if (!p->err && (fseeko(p->f, (off_t)offset, SEEK_SET) || fwrite(data, size, 1, p->f) != 1 ||
			fseek(p->f, 0, SEEK_END)))
		pages_fail(p, errno);
}

int pmk_pages_close(struct pmk_pages *p)
{
	uint8_t npages[4];

	put_number(npages, p->npages, 4);
	if (p->f)
		write_at(p, AT_NPAGES, npages, sizeof(npages));
	if (p->f && fclose(p->f))
		pages_fail(p, errno);
	p->f = NULL;
	return p->err ? -1 : 0;
}

/* ---- pages ---------------------------------------------------------------------------------- */

static void page_begin(struct pmk_page *page, uint8_t kind)
{
	page->byte[0] = kind;
	page->ncells = 0;
	page->start = PMK_PAGE_SIZE;
}

static unsigned header_size(const struct pmk_page *page)
{
	return page->byte[0] >= LEAF_OF_KEYS ? LEAF_HEADER : BRANCH_HEADER;
}

static bool page_has_room(const struct pmk_page *page, size_t size)
{
	return header_size(page) + (page->ncells + 1) * POINTER + size <= page->start;
}

/* The place of a new cell. */
static uint8_t *page_cell(struct pmk_page *page, size_t size)
{
	page->start -= (unsigned)size;
	put_number(page->byte + header_size(page) + page->ncells++ * POINTER, page->start, 2);
	return page->byte + page->start;
}

/* Completes the header. `last`: the child after all cells of a branch. */
static const uint8_t *page_end(struct pmk_page *page, uint32_t last)
{
	unsigned used = header_size(page) + page->ncells * POINTER;

	memset(page->byte + used, 0, page->start - used);
	memset(page->byte + 1, 0, LEAF_HEADER - 1);
	put_number(page->byte + 3, page->ncells, 2);
	put_number(page->byte + 5, page->start, 2);
	if (header_size(page) == BRANCH_HEADER)
		put_number(page->byte + LEAF_HEADER, last, CHILD);
	return page->byte;
}

/* ---- between pages -------------------------------------------------------------------------- */

static void divider_add(struct pmk_pages *p, struct pmk_dividers *d, uint32_t page,
			const uint8_t *key, size_t size)
{
	struct pmk_divider *item = pmk_grow(d->item, d->n, &d->room, sizeof(*item));

	if (item)
		d->item = item;
	while (item && d->nkeys + size > d->keys_room) {
		uint8_t *keys;

		d->keys_room = d->keys_room ? 2 * d->keys_room : 4 * PMK_PAGE_SIZE;
		keys = realloc(d->keys, d->keys_room);
		if (!keys)
			item = NULL;
		else
			d->keys = keys;
	}
	if (!item) {
		pages_fail(p, ENOMEM);
		return;
	}
	d->item[d->n++] = (struct pmk_divider){ page, d->nkeys, size };
	memcpy(d->keys + d->nkeys, key, size);
	d->nkeys += size;
}

static void dividers_free(struct pmk_dividers *d)
{
	free(d->item);
	free(d->keys);
	*d = (struct pmk_dividers){ 0 };
}

/* Fills a branch with dividers from `from` on; returns the one that did not fit. A page has at
 * least one, so the last one that is left does not go up alone. */
static size_t branch_fill(struct pmk_page *page, const struct pmk_dividers *d, size_t from)
{
	size_t end = from, room = PMK_PAGE_SIZE - BRANCH_HEADER;

	while (end < d->n && d->item[end].size + CHILD + POINTER <= room)
		room -= d->item[end++].size + CHILD + POINTER;
	if (end + 1 == d->n)
		end--;
	for (size_t i = from; i < end; i++) {
		uint8_t *cell = page_cell(page, CHILD + d->item[i].size);

		put_number(cell, d->item[i].page, CHILD);
		memcpy(cell + CHILD, d->keys + d->item[i].at, d->item[i].size);
	}
	return end;
}

static void page_end_at(struct pmk_table *t, struct pmk_page *page, uint32_t last)
{
	write_at(t->pages, (uint64_t)(t->root - 1) * PMK_PAGE_SIZE, page_end(page, last),
		 PMK_PAGE_SIZE);
}

/* Writes the branches above a level whose last page is `last`, up to the root. */
static void branches_write(struct pmk_table *t, struct pmk_dividers *d, uint32_t last)
{
	struct pmk_dividers above = { 0 };
	struct pmk_page page;

	while (d->n && !t->pages->err) {
		for (size_t i = 0;;) {
			page_begin(&page, t->by_key ? BRANCH_OF_KEYS : BRANCH_OF_ROWIDS);
			i = branch_fill(&page, d, i);
			if (i == d->n)
				break;
			divider_add(t->pages, &above,
				    page_new(t->pages, page_end(&page, d->item[i].page)),
				    d->keys + d->item[i].at, d->item[i].size);
			i++;
		}
		if (above.n)
			last = page_new(t->pages, page_end(&page, last));
		else
			page_end_at(t, &page, last);
		dividers_free(d);
		*d = above;
		above = (struct pmk_dividers){ 0 };
	}
	dividers_free(d);
}

/* ---- rows ----------------------------------------------------------------------------------- */

void pmk_table_begin(struct pmk_table *t, struct pmk_pages *p, uint32_t root, bool by_key)
{
	*t = (struct pmk_table){ .pages = p, .root = root, .by_key = by_key };
	page_begin(&t->leaf, by_key ? LEAF_OF_KEYS : LEAF_OF_ROWIDS);
}

void pmk_table_column(struct pmk_table *t, enum pmk_column_kind kind, int64_t value,
		      const void *data, size_t size)
{
	if (t->ncolumns < PMK_PAGE_COLUMNS)
		t->column[t->ncolumns++] = (struct pmk_column){ kind, value, data, size };
}

/* The bytes of a number in a row, and its type there. */
static unsigned int_size(int64_t value, uint64_t *type)
{
	static const uint8_t bytes[] = { 0, 1, 2, 3, 4, 6, 8 };
	uint64_t above = (uint64_t)(value < 0 ? ~value : value);

	if (value == 0 || value == 1) {
		*type = 8 + (uint64_t)value;
		return 0;
	}
	for (*type = 1; *type < 6 && above >> (8 * bytes[*type] - 1); ++*type)
		;
	return bytes[*type];
}

/* The bytes of a column after the row's header, and its type in the header. */
static size_t column_size(const struct pmk_column *c, uint64_t *type)
{
	*type = 0;
	if (c->kind == PMK_COLUMN_NULL)
		return 0;
	if (c->kind == PMK_COLUMN_INT)
		return int_size(c->value, type);
	*type = 2 * c->size + (c->kind == PMK_COLUMN_TEXT ? 13 : 12);
	return c->size;
}

/* The bytes of the row that go into its cell. */
static size_t local_size(const struct pmk_table *t, size_t size)
{
	size_t most = t->by_key ? MOST_BY_KEY : MOST_BY_ROWID, local;

	if (size <= most)
		return size;
	local = LEAST + (size - LEAST) % OVERFLOW_ROOM;
	return local <= most ? local : LEAST;
}

/* Writes the rest of a row; returns the number of its first page. */
static uint32_t overflow_write(struct pmk_pages *p, const uint8_t *data, size_t size)
{
	uint32_t first = 0;

	while (size) {
		size_t n = size < OVERFLOW_ROOM ? size : OVERFLOW_ROOM;
		uint8_t page[PMK_PAGE_SIZE] = { 0 };
		uint32_t next = p->npages + 1;

		next += next == LOCK_PAGE;
		first = first ? first : next;
		next += 1 + (next + 1 == LOCK_PAGE);
		put_number(page, n < size ? next : 0, 4);
		memcpy(page + 4, data, n);
		page_new(p, page);
		data += n;
		size -= n;
	}
	return first;
}

/* Writes the columns of a row of `size` bytes to `at`. */
static void row_encode(const struct pmk_table *t, uint8_t *at, const uint8_t *header,
		       unsigned nheader)
{
	memcpy(at, header, nheader);
	at += nheader;
	for (unsigned i = !t->by_key; i < t->ncolumns; i++) {
		const struct pmk_column *c = &t->column[i];
		uint64_t type;
		size_t n = column_size(c, &type);

		if (c->kind == PMK_COLUMN_INT)
			put_number(at, (uint64_t)c->value, (unsigned)n);
		else if (n)
			memcpy(at, c->data, n);
		at += n;
	}
}

/* Makes a cell of a row that does not fit into one, and overflow pages. Returns its size. */
static size_t cell_overflow(struct pmk_table *t, uint8_t *cell, size_t ncell, size_t size,
			    const uint8_t *header, unsigned nheader)
{
	size_t local = local_size(t, size);
	uint8_t *row = malloc(size);

	if (!row) {
		pages_fail(t->pages, ENOMEM);
		return ncell;
	}
	row_encode(t, row, header, nheader);
	memcpy(cell + ncell, row, local);
	put_number(cell + ncell + local, overflow_write(t->pages, row + local, size - local), 4);
	free(row);
	return ncell + local + 4;
}

/* Makes the cell of the next row. Returns its size. */
static size_t cell_make(struct pmk_table *t, uint8_t *cell)
{
	uint8_t header[1 + 9 * PMK_PAGE_COLUMNS];
	unsigned nheader = 1;
	size_t size = 0, ncell;

	/* The first column of a table with row numbers is NULL in the row. */
	if (!t->by_key)
		header[nheader++] = 0;
	for (unsigned i = !t->by_key; i < t->ncolumns; i++) {
		uint64_t type;

		size += column_size(&t->column[i], &type);
		nheader += put_varint(header + nheader, type);
	}
	header[0] = (uint8_t)nheader;
	size += nheader;
	ncell = put_varint(cell, size);
	if (!t->by_key)
		ncell += put_varint(cell + ncell, (uint64_t)t->column[0].value);
	if (local_size(t, size) < size)
		return cell_overflow(t, cell, ncell, size, header, nheader);
	row_encode(t, cell + ncell, header, nheader);
	return ncell + size;
}

/* Writes the leaf and begins another. The key is what is between them. */
static void leaf_end(struct pmk_table *t, const uint8_t *key, size_t size)
{
	uint32_t page = page_new(t->pages, page_end(&t->leaf, 0));

	divider_add(t->pages, &t->dividers, page, key, size);
	page_begin(&t->leaf, t->leaf.byte[0]);
}

static void leaf_full(struct pmk_table *t, const uint8_t *cell, size_t size)
{
	uint8_t rowid[9];

	if (!t->by_key) {
		leaf_end(t, rowid, put_varint(rowid, (uint64_t)t->rowid));
		return;
	}
	memcpy(t->pending, cell, size);
	t->npending = (unsigned)size;
}

void pmk_table_row(struct pmk_table *t)
{
	uint8_t cell[PMK_PAGE_SIZE];
	size_t size = cell_make(t, cell);

	if (t->npending) {
		leaf_end(t, t->pending, t->npending);
		t->npending = 0;
	}
	if (!page_has_room(&t->leaf, size))
		leaf_full(t, cell, size);
	if (!t->npending)
		memcpy(page_cell(&t->leaf, size), cell, size);
	t->rowid = t->column[0].value;
	t->ncolumns = 0;
}

/* The last row did not fit: the row before it is between it and the others. */
static void pending_end(struct pmk_table *t)
{
	struct pmk_page *leaf = &t->leaf;
	uint8_t key[PMK_PAGE_SIZE];
	unsigned before = PMK_PAGE_SIZE, size;

	leaf->ncells--;
	if (leaf->ncells) {
		const uint8_t *at = leaf->byte + LEAF_HEADER + (leaf->ncells - 1) * POINTER;

		before = (unsigned)at[0] << 8 | at[1];
	}
	size = before - leaf->start;
	memcpy(key, leaf->byte + leaf->start, size);
	leaf->start = before;
	leaf_end(t, key, size);
	memcpy(page_cell(leaf, t->npending), t->pending, t->npending);
}

void pmk_table_end(struct pmk_table *t)
{
	if (t->npending)
		pending_end(t);
	if (!t->dividers.n)
		page_end_at(t, &t->leaf, 0);
	else
		branches_write(t, &t->dividers, page_new(t->pages, page_end(&t->leaf, 0)));
	dividers_free(&t->dividers);
}
