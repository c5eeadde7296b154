#include "scratch.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

static char folder[64];

static const char *home(void)
{
    if (!folder[0]) {
        strcpy(folder, "/tmp/scant-test-XXXXXX");
        if (!mkdtemp(folder))
            abort();
    }
    return folder;
}

const char *scratch_path(const char *name)
{
    static char paths[8][512];
    static size_t next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, sizeof paths[0], "%s/%s", home(), name);
    return path;
}

const char *scratch_bytes(const char *name, const void *bytes, size_t n)
{
    const char *path = scratch_path(name);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes, 1, n, file) != n || fclose(file) != 0)
        abort();
    return path;
}

const char *scratch_text(const char *name, const char *text)
{
    return scratch_bytes(name, text, strlen(text));
}

const char *scratch_gzip(const char *name, const char *text)
{
    const char *path = scratch_path(name);
    gzFile file = gzopen(path, "wb");
    if (!file || gzwrite(file, text, (unsigned)strlen(text)) <= 0 || gzclose(file) != Z_OK)
        abort();
    return path;
}

char *scratch_load(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t used = 0, room = 1 << 16;
    char *text = malloc(room + 1);
    for (size_t got = 1; text && got > 0; used += got) {
        if (used == room)
            text = realloc(text, (room *= 2) + 1);
        got = text ? fread(text + used, 1, room - used, file) : 0;
    }
    (void)fclose(file);
    if (text)
        text[used] = '\0';
    return text;
}

static size_t each(int (*act)(const char *))
{
    size_t count = 0;
    DIR *dir = opendir(home());
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        count++;
        if (act)
            (void)act(scratch_path(entry->d_name));
    }
    if (dir)
        (void)closedir(dir);
    return count;
}

size_t scratch_count(void)
{
    return each(NULL);
}

void scratch_clear(void)
{
    if (!folder[0])
        return;
    (void)each(unlink);
    (void)rmdir(folder);
    folder[0] = '\0';
}
