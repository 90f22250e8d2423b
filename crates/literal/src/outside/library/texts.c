/* Functions on texts and memory: a part of library.c. `strtok` keeps its place in a variable that all threads share, so two
   of them that use it at a time disturb each other here as they do there. */

size_t strspn(const char *, const char *);
size_t strcspn(const char *, const char *);

WEAK char *strtok_r(char *text, const char *ends, char **place) {
    if (!text) text = *place;
    text += strspn(text, ends);
    if (!*text) {
        *place = text;
        return 0;
    }
    char *end = text + strcspn(text, ends);
    if (*end) *end++ = 0;
    *place = end;
    return text;
}

static char *place_of_strtok;

WEAK char *__strtok_r(char *text, const char *ends, char **place) { return strtok_r(text, ends, place); }
WEAK char *strtok(char *text, const char *ends) { return strtok_r(text, ends, &place_of_strtok); }

WEAK void *memrchr(const void *memory, int wanted, size_t length) {
    const byte *at = (const byte *)memory + length;
    while (length--)
        if (*--at == (byte)wanted) return (void *)at;
    return 0;
}

WEAK size_t wcslen(const int *text) {
    size_t length = 0;
    while (text[length]) length++;
    return length;
}
