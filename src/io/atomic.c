#define _GNU_SOURCE /* O_TMPFILE */
#include "io/atomic.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include "io/zmemory.h"

enum { BUFFER = 256 << 10, PACKED = 64 << 10 };

struct scant_file {
    char *name;        /* as asked for, for messages */
    char *target;      /* what the file will be called */
    char *temporary;   /* what it is called until then; NULL: written directly, or nameless */
    char nameless[32]; /* its path among the descriptors, while it has no name; else empty */
    int file;
    bool committed;
    bool heeds; /* interrupts */
    bool gzip;
    z_stream z;
    unsigned char *packed; /* PACKED bytes, where gzip */
    unsigned char *buffer; /* BUFFER bytes */
    size_t used;
};

static scant_status fail_writing(const scant_i_sink *sink)
{
    return scant_i_fail_writing(sink->name, "cannot write: %s", strerror(errno));
}

static scant_status put(const scant_i_sink *sink, const unsigned char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t done = write(sink->file, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return fail_writing(sink);
        bytes += done;
        n -= (size_t)done;
    }
    return SCANT_OK;
}

static scant_status pack(scant_i_sink *sink, int flush)
{
    sink->z.next_in = sink->buffer;
    sink->z.avail_in = (uInt)sink->used;
    do {
        sink->z.next_out = sink->packed;
        sink->z.avail_out = PACKED;
        if (deflate(&sink->z, flush) == Z_STREAM_ERROR)
            return scant_i_fail_in(SCANT_ERR_INTERNAL, sink->name, "zlib failed");
        scant_status status = put(sink, sink->packed, PACKED - sink->z.avail_out);
        if (status != SCANT_OK)
            return status;
    } while (sink->z.avail_out == 0);
    return SCANT_OK;
}

void scant_i_sink_heed_interrupts(scant_i_sink *sink)
{
    sink->heeds = true;
}

static scant_status flush_buffer(scant_i_sink *sink, bool last)
{
    if (sink->heeds && scant_i_interrupted())
        return scant_i_fail_in(SCANT_ERR_INTERRUPTED, sink->name, "interrupted while writing");
    scant_status status =
        sink->gzip ? pack(sink, last ? Z_FINISH : Z_NO_FLUSH) : put(sink, sink->buffer, sink->used);
    sink->used = 0;
    return status;
}

scant_status scant_i_sink_write(scant_i_sink *sink, const void *bytes, size_t n)
{
    const unsigned char *from = bytes;
    while (n > 0) {
        size_t part = scant_i_min(n, BUFFER - sink->used);
        memcpy(sink->buffer + sink->used, from, part);
        sink->used += part;
        from += part;
        n -= part;
        if (sink->used == BUFFER) {
            scant_status status = flush_buffer(sink, false);
            if (status != SCANT_OK)
                return status;
        }
    }
    return SCANT_OK;
}

scant_status scant_i_sink_text(scant_i_sink *sink, const char *text)
{
    return scant_i_sink_write(sink, text, strlen(text));
}

scant_status scant_i_sink_format(scant_i_sink *sink, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (n < 0 || (size_t)n >= sizeof text)
        return scant_i_fail_in(SCANT_ERR_INTERNAL, sink->name, "a text too long to format");
    return scant_i_sink_write(sink, text, (size_t)n);
}

/* How much of a path comes before its last part. */
static int folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path + 1) : 0;
}

/* The descriptor that `path` is the name of among this process's own, or -1. */
static int own_descriptor(const char *path)
{
    char folder[PATH_MAX], real[PATH_MAX], ours[PATH_MAX], *end;
    int length = folder_length(path);
    long number = strtol(path + length, &end, 10);
    if (*end || end == path + length || number < 0 || number > INT_MAX || length >= PATH_MAX)
        return -1;
    (void)snprintf(folder, sizeof folder, "%.*s", length, path);
    bool own = realpath(length ? folder : ".", real) && realpath("/proc/self/fd", ours) &&
               strcmp(real, ours) == 0;
    return own ? (int)number : -1;
}

/* The target is where the links that begin at `path` end, so that they stay links; no file need be
 * there. A descriptor of our own is an end, too: what it leads to may be without a name, or have
 * been written to before. */
static scant_status follow(scant_i_sink *sink, const char *path)
{
    enum { MOST_LINKS = 40 }; /* as the kernel has it */
    char link[PATH_MAX];
    sink->target = scant_i_strdup(path);
    for (int k = 0; sink->target && own_descriptor(sink->target) < 0; k++) {
        ssize_t length = readlink(sink->target, link, sizeof link);
        if (length < 0)
            return SCANT_OK;
        if (k == MOST_LINKS) {
            errno = ELOOP;
            return fail_writing(sink);
        }
        int folder = link[0] == '/' ? 0 : folder_length(sink->target);
        char *next = scant_i_format("%.*s%.*s", folder, sink->target, (int)length, link);
        scant_i_free(sink->target);
        sink->target = next;
    }
    return sink->target ? SCANT_OK : SCANT_ERR_MEMORY;
}

/* Creates a file of a name that no one has, or gives the nameless one such a name; 0, or -1 and errno. */
static int take_name(scant_i_sink *sink, const char *name)
{
    if (*sink->nameless)
        return linkat(AT_FDCWD, sink->nameless, AT_FDCWD, name, AT_SYMLINK_FOLLOW);
    sink->file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return sink->file < 0 ? -1 : 0;
}

/* The name is beside the target, and the target's is only a part of it, for that may be as long as names can be. */
static scant_status name_temporary(scant_i_sink *sink)
{
    enum { TRIES = 100, NAME_KEPT = 100 };
    static atomic_uint counter;
    int folder = folder_length(sink->target), failed = EEXIST;
    for (int k = 0; k < TRIES && failed == EEXIST; k++) {
        char *name =
            scant_i_format("%.*s.%.*s.%ld-%u", folder, sink->target, NAME_KEPT,
                           sink->target + folder, (long)getpid(), atomic_fetch_add(&counter, 1));
        if (!name)
            return SCANT_ERR_MEMORY;
        failed = take_name(sink, name) == 0 ? 0 : errno;
        if (!failed)
            sink->temporary = name;
        else
            scant_i_free(name); /* not ours: must not be removed */
    }
    return failed ? scant_i_fail_writing(sink->name, "cannot create: %s", strerror(failed))
                  : SCANT_OK;
}

scant_status scant_i_sink_path(const char **out, scant_i_sink *sink)
{
    scant_status status = *sink->nameless ? name_temporary(sink) : SCANT_OK;
    if (status == SCANT_OK)
        *sink->nameless = '\0';
    *out = sink->temporary;
    return status;
}

static void drop(scant_i_sink *sink)
{
    if (sink->file > STDERR_FILENO)
        (void)close(sink->file);
    sink->file = -1;
    if (sink->temporary && !sink->committed)
        (void)unlink(sink->temporary);
    scant_i_free(sink->temporary);
    sink->temporary = NULL;
    *sink->nameless = '\0';
}

static bool open_nameless(scant_i_sink *sink)
{
    char folder[PATH_MAX];
    int length = folder_length(sink->target);
    if (length >= PATH_MAX)
        return false;
    (void)snprintf(folder, sizeof folder, "%.*s", length ? length : 1, length ? sink->target : ".");
    sink->file = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    if (sink->file >= 0)
        (void)snprintf(sink->nameless, sizeof sink->nameless, "/proc/self/fd/%d", sink->file);
    return sink->file >= 0;
}

/* A file that nobody may write to is one that somebody protects: renaming another one over it would take it from them all
 * the same, and the superuser may write everywhere. */
static scant_status check_permission(const scant_i_sink *sink, const struct stat *about)
{
    bool writable =
        (about->st_mode & 0222) != 0 && faccessat(AT_FDCWD, sink->target, W_OK, AT_EACCESS) == 0;
    return writable ? SCANT_OK
                    : scant_i_fail_writing(sink->name, "cannot write: the file is read-only");
}

/* A file without a name is gone however the program ends. Not every file system has them, or lets them take a name at last:
 * a first one shows that. Files are opened as new ones are, so that the umask holds without being asked for, which threads
 * could not do safely. */
static scant_status open_temporary(scant_i_sink *sink)
{
    struct stat about;
    bool nameless = open_nameless(sink);
    scant_status status = nameless ? name_temporary(sink) : SCANT_OK;
    drop(sink);
    if (status == SCANT_ERR_MEMORY)
        return status;
    if (!nameless || status != SCANT_OK || !open_nameless(sink))
        status = name_temporary(sink);
    if (status != SCANT_OK)
        return status;
    if (stat(sink->target, &about) == 0 && fchmod(sink->file, about.st_mode & 0777) != 0)
        return fail_writing(sink);
    return SCANT_OK;
}

static scant_status open_file(scant_i_sink *sink, const char *path)
{
    struct stat about;
    if (strcmp(path, "-") == 0) {
        sink->file = STDOUT_FILENO;
        return SCANT_OK;
    }
    scant_status status = follow(sink, path);
    if (status != SCANT_OK)
        return status;
    int own = own_descriptor(sink->target);
    bool there = stat(sink->target, &about) == 0;
    if (there && S_ISDIR(about.st_mode))
        return scant_i_fail_writing(path, "cannot write: it is a directory");
    if (own < 0 && !(there && !S_ISREG(about.st_mode))) {
        status = there ? check_permission(sink, &about) : SCANT_OK;
        return status == SCANT_OK ? open_temporary(sink) : status;
    }
    sink->file = own < 0 ? open(sink->target, O_WRONLY | O_CLOEXEC)
                         : fcntl(own, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    return sink->file < 0 ? fail_writing(sink) : SCANT_OK;
}

static scant_status begin_gzip(scant_i_sink *sink)
{
    enum { LEVEL = 6, WINDOW_AND_GZIP = 15 + 16, MEMORY = 8 }; /* zlib's own defaults */
    sink->packed = scant_i_alloc(PACKED, 1);
    if (!sink->packed)
        return SCANT_ERR_MEMORY;
    sink->z = (z_stream){.zalloc = scant_i_zalloc, .zfree = scant_i_zfree};
    if (deflateInit2(&sink->z, LEVEL, Z_DEFLATED, WINDOW_AND_GZIP, MEMORY, Z_DEFAULT_STRATEGY) !=
        Z_OK)
        return scant_i_fail_in(SCANT_ERR_MEMORY, sink->name, "out of memory");
    sink->gzip = true;
    return SCANT_OK;
}

bool scant_i_names_gzip(const char *path)
{
    size_t length = strlen(path);
    return length > 3 && strcasecmp(path + length - 3, ".gz") == 0;
}

scant_status scant_i_sink_open(scant_i_sink **out, const char *path)
{
    scant_i_sink *sink = NULL;
    *out = NULL;
    scant_status status = SCANT_I_NEW(&sink, 1);
    if (status != SCANT_OK)
        return status;
    sink->file = -1;
    status = SCANT_ERR_MEMORY;
    if (!(sink->name = scant_i_strdup(strcmp(path, "-") ? path : "standard output")) ||
        !(sink->buffer = scant_i_alloc(BUFFER, 1)))
        goto done;
    SCANT_I_TRY(open_file(sink, path));
    if (scant_i_names_gzip(path))
        SCANT_I_TRY(begin_gzip(sink));
    *out = sink;
    return SCANT_OK;
done:
    scant_i_sink_free(sink);
    return status;
}

/* The new name is in the folder, which a loss of power could lose. Not every file system can sync a folder, and the file is
 * whole whatever comes of it. */
static void sync_folder(const scant_i_sink *sink)
{
    char folder[PATH_MAX];
    int length = folder_length(sink->target);
    if (length >= PATH_MAX)
        return;
    (void)snprintf(folder, sizeof folder, "%.*s", length ? length : 1, length ? sink->target : ".");
    int file = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    (void)fsync(file);
    (void)close(file);
}

scant_status scant_i_sink_commit(scant_i_sink *sink)
{
    scant_status status = flush_buffer(sink, true);
    if (status != SCANT_OK)
        return status;
    bool ours = *sink->nameless || sink->temporary;
    if (!ours)
        return SCANT_OK; /* whoever owns the stream closes it; a file of ours is closed by free */
    if (fsync(sink->file) != 0)
        return fail_writing(sink);
    const char *path;
    status = scant_i_sink_path(&path, sink);
    if (status != SCANT_OK)
        return status;
    int closed = close(sink->file);
    sink->file = -1;
    if (closed != 0 || rename(path, sink->target) != 0)
        return fail_writing(sink);
    sink->committed = true;
    sync_folder(sink);
    return SCANT_OK;
}

void scant_i_sink_free(scant_i_sink *sink)
{
    if (!sink)
        return;
    if (sink->gzip)
        (void)deflateEnd(&sink->z);
    drop(sink);
    scant_i_free(sink->name);
    scant_i_free(sink->target);
    scant_i_free(sink->packed);
    scant_i_free(sink->buffer);
    scant_i_free(sink);
}

/* --- for programs --- */

scant_status scant_file_open(scant_file **out, const char *path)
{
    return scant_i_sink_open(out, path);
}

scant_status scant_file_write(scant_file *file, const void *bytes, size_t n)
{
    return scant_i_sink_write(file, bytes, n);
}

scant_status scant_file_commit(scant_file *file)
{
    return scant_i_sink_commit(file);
}

void scant_file_free(scant_file *file)
{
    scant_i_sink_free(file);
}
