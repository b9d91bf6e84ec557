/* SPDX-License-Identifier: MIT */
#include "io/magic.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define BY_PYTHON ": python3 -m mbf from FILE makes a stream of it (mbf-python(7))"
#define BY_TRAJ2BIN ": traj2bin reads it"
#define BY_TRJCONV ": gmx trjconv -f FILE -o out.xtc, which traj2bin reads"
#define GRO "is a GRO file"
#define PDB "is a PDB file"
#define STRUCTURE ", a structure" BY_PYTHON
#define BY_MD                                                                                      \
    ": md-cpu --from-data starts from it, python3 -m mbf from FILE makes a stream of it "          \
    "(mbf-python(7))"

/* The first match is used. A general entry must come after the special entries that it includes. */
static const struct magic {
    enum magic_reader reader;
    size_t at, len;
    const char *bytes, *what;
    const char *format; /* used only with MAGIC_TRAJ2BIN */
} magics[] = {
#define AT(reader, at, bytes, what)                                                                \
    {                                                                                              \
        reader, at, sizeof bytes - 1, bytes, what, NULL                                            \
    }
/* the entries of lib/formats, which the Makefile gathers */
#define FORMAT(id, name, suffixes, brief)
#define FORMAT_MAGIC(name, at, bytes, what)                                                        \
    {MAGIC_TRAJ2BIN, at, sizeof bytes - 1, bytes, what BY_TRAJ2BIN, name},
#include <formats.list>
    AT(MAGIC_OTHER, 0, "\x89MBF",
       "is an MBF stream already: bin2xyz turns it into XYZ text, bin2txt into columns"),
    AT(MAGIC_OTHER, 0,
       "\xfd"
       "7zXZ",
       "is compressed by xz: put 'xz -dc FILE |' in front"),
    AT(MAGIC_OTHER, 0, "\x04\x22\x4d\x18", "is compressed by lz4: put 'lz4 -dc FILE |' in front"),
    AT(MAGIC_OTHER, 0, "BZh", "is compressed by bzip2: put 'bzip2 -dc FILE |' in front"),
    AT(MAGIC_OTHER, 0, "7z\xbc\xaf\x27\x1c", "is a 7z archive: 7z x -so FILE writes its content"),
    AT(MAGIC_OTHER, 0, "PK\003\004",
       "is a zip archive: unzip -p FILE writes its content; an npz of NumPy" BY_PYTHON),
    AT(MAGIC_OTHER, 257, "ustar", "is a tar archive: tar -xOf FILE writes its content"),
    AT(MAGIC_OTHER, 0, "\x93NUMPY", "is a NumPy array" BY_PYTHON),
    AT(MAGIC_OTHER, 0, "\xdf\x65\xdf\x65\xdf\x65\xdf\x65", "is a GSD file" BY_PYTHON),
    AT(MAGIC_OTHER, 24, "GENERAL INFO", "is a TNG trajectory" BY_TRJCONV),
    AT(MAGIC_OTHER, 40, "GENERAL INFO", "is a TNG trajectory" BY_TRJCONV),
    AT(MAGIC_OTHER, 0, "- of Ulm", "is an ASE trajectory" BY_PYTHON),
    AT(MAGIC_OTHER, 0, "AFFormat", "is an ASE trajectory" BY_PYTHON),
    AT(MAGIC_OTHER, 0, "LammpS RestartT",
       "is a LAMMPS restart: lmp -log none -r2dump FILE all custom out.dump id type x y z writes "
       "a dump, which traj2bin reads"),
    AT(MAGIC_OTHER, 0, "---\ncreator: LAMMPS\n",
       "is a LAMMPS dump of style yaml: pipelines/lammps-yaml.sh FILE makes a text dump of it, "
       "which traj2bin reads"),
    AT(MAGIC_OTHER, 0, "LAMMPS (",
       "is a LAMMPS log: txt2bin reads its table, traj2bin reads the dump of the run"),
    AT(MAGIC_OTHER, 4, "VELD", "is a DCD file of velocities: give the DCD file of positions"),
    AT(MAGIC_OTHER, 8, "VELD", "is a DCD file of velocities: give the DCD file of positions"),
    AT(MAGIC_OTHER, 8, "VERSION ",
       "is a GROMACS run input, without a trajectory: traj2bin reads the .xtc or .trr of the run"),
    AT(MAGIC_OTHER, 0, "\0\2\237\51",
       "is a GROMACS checkpoint: traj2bin reads the .xtc or .trr of the run"),
    AT(MAGIC_OTHER, 0, "\377\377\46\375",
       "is a GROMACS energy file: gmx energy -f FILE -o out.xvg, which txt2bin reads"),
    AT(MAGIC_OTHER, 0, "PSF", "is a PSF topology, without positions"),
    AT(MAGIC_OTHER, 0, "%VERSION", "is an AMBER topology, without positions"),
    AT(MAGIC_OTHER, 0, "@<TRIPOS>", "is a MOL2 file" STRUCTURE),
    AT(MAGIC_OTHER, 0, "data_", "is a CIF file" STRUCTURE),
    AT(MAGIC_OTHER, 0, "HEADER ", PDB BY_PYTHON),
    AT(MAGIC_OTHER, 0, "CRYST1", PDB BY_PYTHON),
    AT(MAGIC_OTHER, 0, "REMARK ", PDB BY_PYTHON),
    AT(MAGIC_OTHER, 0, "MODEL ", PDB BY_PYTHON),
    AT(MAGIC_OTHER, 0, "ATOM  ", PDB BY_PYTHON),
    AT(MAGIC_OTHER, 0, "HETATM", PDB BY_PYTHON),
    AT(MAGIC_OTHER, 0, "COMPND", PDB BY_PYTHON),
    AT(MAGIC_OTHER, 0, "TITLE     ", PDB BY_PYTHON),
    AT(MAGIC_OTHER, 0, "TITLE\n", "is a GROMOS g96 file" BY_TRJCONV),
    AT(MAGIC_OTHER, 0, "ANIMSTEPS", "is an XSF file" BY_PYTHON),
    AT(MAGIC_OTHER, 0, "CRYSTAL\n", "is an XSF file" BY_PYTHON),
    AT(MAGIC_OTHER, 0, "Number of particles", "is a CFG file of AtomEye" BY_PYTHON),
    AT(MAGIC_OTHER, 0, "SQLite format 3", "is a database (of ASE)" BY_PYTHON),
    AT(MAGIC_OTHER, 0, "<?xml", "is an XML file (HOOMD, VASP, CML)" BY_PYTHON),
    AT(MAGIC_OTHER, 0, "<!DOCTYPE", "is a web page, perhaps from a failed download"),
    AT(MAGIC_OTHER, 0, "<html", "is a web page, perhaps from a failed download"),
    AT(MAGIC_OTHER, 0, "version https://git-lfs",
       "is a Git LFS pointer, not the file itself: git lfs pull downloads the file"),
    AT(MAGIC_OTHER, 0,
       "\x7f"
       "ELF",
       "is an executable program"),
    AT(MAGIC_OTHER, 0, "%PDF", "is a PDF document"),
#undef AT
};

struct line {
    const char *s;
    size_t len;
};

/* Splits off the first complete lines. */
static size_t split(const char *s, size_t n, struct line *line, size_t max)
{
    size_t count = 0;
    const char *nl;
    while (count < max && (nl = memchr(s, '\n', n))) {
        line[count++] = (struct line){s, (size_t)(nl - s)};
        n -= (size_t)(nl - s) + 1;
        s = nl + 1;
    }
    return count;
}

/* Counts the words of a line, and tests by their characters whether all are numbers. */
static size_t words(const struct line *l, bool *numbers)
{
    size_t count = 0;
    bool in = false;
    *numbers = true;
    for (size_t k = 0; k < l->len; k++) {
        bool blank = isspace((unsigned char)l->s[k]);
        count += !blank && !in;
        in = !blank;
        if (!blank && !strchr("0123456789+-.eEdD", l->s[k]))
            *numbers = false;
    }
    return count;
}

static bool number_lines(const struct line *l, size_t first, size_t last, size_t want)
{
    bool numbers;
    for (size_t k = first; k <= last; k++)
        if (words(&l[k], &numbers) != want || !numbers)
            return false;
    return true;
}

/* GRO: a title, a count, and columns of fixed width: residue, name, number, 8 columns per
 * coordinate. */
static bool is_gro(const struct line *l, size_t n)
{
    if (n < 3 || !number_lines(l, 1, 1, 1) || l[2].len < 44 || number_lines(l, 0, 0, 1))
        return false;
    return l[2].s[24] == '.' && l[2].s[32] == '.' && l[2].s[40] == '.' && l[2].s[20] != '.';
}

/* AMBER text restart: a title, the number of atoms (time and temperature may follow), and 6 numbers
 * of 12 columns per line. Source: AMBER file formats, "AMBER coordinate/restart". */
static bool is_amber_restart(const struct line *l, size_t n)
{
    bool numbers;
    size_t count = n >= 3 ? words(&l[1], &numbers) : 0, width = n >= 3 ? l[2].len : 0;
    width -= width && l[2].s[width - 1] == '\r';
    if (count < 1 || count > 3 || !numbers || (width != 36 && width != 72) ||
        number_lines(l, 0, 0, 1))
        return false;
    for (size_t k = 0; k < width; k++)
        if (!strchr(k % 12 == 4 ? "." : k % 12 < 4 ? " -0123456789" : "0123456789", l[2].s[k]))
            return false;
    return true;
}

/* POSCAR and XDATCAR: a title, a scale, three vectors. */
static bool is_poscar(const struct line *l, size_t n)
{
    return n >= 6 && number_lines(l, 1, 1, 1) && number_lines(l, 2, 4, 3) &&
           !number_lines(l, 0, 0, 1);
}

/* XYZ: species may be numbers, but then the second line does not look like the rows below it. */
static bool is_xyz(const struct line *l, size_t n)
{
    bool numbers;
    size_t columns = n >= 3 ? words(&l[2], &numbers) : 0;
    return columns >= 4 && number_lines(l, 0, 0, 1) && !memchr(l[0].s, '.', l[0].len) &&
           (!numbers || !number_lines(l, 1, 1, columns));
}

/* Matches a line such as "108 atoms". */
static bool counts_atoms(struct line l)
{
    static const char atoms[] = "atoms";
    while (l.len > 0 && isspace((unsigned char)l.s[l.len - 1]))
        l.len--;
    if (l.len < sizeof atoms)
        return false;
    l.len -= sizeof atoms - 1;
    return memcmp(l.s + l.len, atoms, sizeof atoms - 1) == 0 && number_lines(&l, 0, 0, 1);
}

/* LAMMPS data: a title that is not itself a count (as in XYZ text with an extra word), and counts
 * of atoms. */
static bool is_lammps_data(const struct line *l, size_t n)
{
    if (n > 0 && counts_atoms(l[0]))
        return false;
    for (size_t k = 1; k < n; k++)
        if (counts_atoms(l[k]))
            return true;
    return false;
}

/* Returns true if lines end in carriage returns only. */
static bool has_only_returns(const char *s, size_t n)
{
    const char *cr = n ? memchr(s, '\r', n - 1) : NULL;
    return cr && !memchr(s, '\n', n);
}

/* Returns true if all bytes are text. */
static bool is_text(const unsigned char *p, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (p[k] == 0 || (p[k] < 32 && !strchr("\t\n\r\f", p[k])))
            return false;
    return true;
}

static const struct magic *magic_of(const void *bytes, size_t n)
{
    for (size_t k = 0; k < sizeof magics / sizeof magics[0]; k++) {
        const struct magic *m = &magics[k];
        if (n >= m->at + m->len && memcmp((const char *)bytes + m->at, m->bytes, m->len) == 0)
            return m;
    }
    return NULL;
}

const char *magic_format(const void *bytes, size_t n)
{
    const struct magic *m = magic_of(bytes, n);
    return m ? m->format : NULL;
}

enum magic_reader magic_find(const void *bytes, size_t n, const char **what)
{
    const char *none;
    const struct magic *m = magic_of(bytes, n);
    what = what ? what : &none;
    if (has_only_returns(bytes, n) && is_text(bytes, n)) {
        *what = "has lines that end in carriage returns: " MAGIC_CR;
        return MAGIC_OTHER;
    }
    if (m) {
        *what = m->what;
        return m->reader;
    }
    struct line l[6];
    size_t lines = is_text(bytes, n) ? split(bytes, n, l, 6) : 0;
    *what = is_gro(l, lines) ? GRO BY_PYTHON
            : is_amber_restart(l, lines)
                ? "is an AMBER restart file of text: cpptraj -p TOPOLOGY -y FILE -x out.nc makes "
                  "NetCDF of it, which traj2bin reads"
            : is_poscar(l, lines)      ? "is a POSCAR or XDATCAR of VASP" BY_PYTHON
            : is_lammps_data(l, lines) ? "is a LAMMPS data file" BY_MD
            : is_xyz(l, lines)         ? "is XYZ text: xyz2bin reads it (its keys: txt2bin --info)"
                                       : NULL;
    return !*what ? MAGIC_NO : is_xyz(l, lines) ? MAGIC_TRAJ2BIN : MAGIC_OTHER;
}

bool magic_is_xyz(const unsigned char *bytes, size_t n)
{
    struct line l[3];
    size_t lines = is_text(bytes, n) ? split((const char *)bytes, n, l, 3) : 0;
    return is_xyz(l, lines) ||
           (lines > 0 && lines < 3 && number_lines(l, 0, 0, 1) && !memchr(l[0].s, '.', l[0].len));
}

const char *magic_foreign_to_xyz(const void *bytes, size_t n)
{
    struct line l[1];
    const char *what;
    if (split(bytes, n, l, 1) == 1 && number_lines(l, 0, 0, 1) && *l[0].s != '-') /* a count */
        return NULL;
    return magic_find(bytes, n, &what) == MAGIC_NO ? NULL : what;
}

const char *magic_foreign_to_table(const void *bytes, size_t n)
{
    struct line l[3];
    bool numbers;
    const char *what;
    size_t lines = split(bytes, n, l, 3), columns = lines ? words(&l[0], &numbers) : 0;
    if (lines == 3 && number_lines(l, 1, 2, columns)) /* rows of numbers below any line */
        return NULL;
    if (n >= 8 && memcmp(bytes, "LAMMPS (", 8) == 0)
        return NULL;
    return magic_find(bytes, n, &what) == MAGIC_NO ? NULL : what;
}

const char *magic_foreign_to_traj(const void *bytes, size_t n)
{
    const char *what;
    return magic_find(bytes, n, &what) == MAGIC_OTHER ? what : NULL;
}

const char *magic_foreign_to_topology(const void *bytes, size_t n)
{
#define NAMES                                                                                      \
    ": give a GRO, PDB or PSF file of the same atoms, or put python3 -m mbf from --topology FILE " \
    "TRAJECTORY in place of traj2bin (mbf-python(7))"
    static const struct {
        size_t at;
        const char *bytes, *what;
    } tables[] = {
        {8, "VERSION ", "is a GROMACS run input" NAMES},
        {0, "%VERSION", "is an AMBER topology" NAMES},
        {0, "; ",
         "is a GROMACS topology, which includes others: give a GRO file of the same atoms"},
        {0, "[ ",
         "is a GROMACS topology, which includes others: give a GRO file of the same atoms"},
        {0, "#include",
         "is a GROMACS topology, which includes others: give a GRO file of the same atoms"},
    };
#undef NAMES
    const char *what;
    if (n >= 3 && memcmp(bytes, "PSF", 3) == 0)
        return NULL;
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        size_t len = strlen(tables[k].bytes);
        if (n >= tables[k].at + len &&
            memcmp((const char *)bytes + tables[k].at, tables[k].bytes, len) == 0)
            return tables[k].what;
    }
    return magic_find(bytes, n, &what) == MAGIC_NO || strncmp(what, GRO, strlen(GRO)) == 0 ||
                   strncmp(what, PDB, strlen(PDB)) == 0
               ? NULL
               : what;
}
