/* Records built with the functions of string.h, compared after the joins. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct record {
    char name[8];
    int size;
};

static void *build(void *text) {
    struct record *record = malloc(sizeof *record);
    memset(record, 0, sizeof *record);
    memcpy(record->name, text, 3);
    memmove(record->name + 1, record->name, 3);
    record->size = (int)strlen(record->name);
    return record;
}

int main(void) {
    pthread_t first, second;
    char text[] = "abc";
    void *one, *other;
    pthread_create(&first, NULL, build, text);
    pthread_create(&second, NULL, build, text);
    pthread_join(first, &one);
    pthread_join(second, &other);
    assert(memcmp(one, other, sizeof(struct record)) == 0);
    struct record *record = one;
    assert(strncmp(record->name, "aabc", 8) == 0 && record->size == 4);
    assert(strchr(record->name, 'c') == record->name + 3);
    free(one);
    free(other);
    return 0;
}
