// Texts are cut into words, each thread with a place of its own.
#include <assert.h>
#include <pthread.h>
#include <string.h>

static int words[2];

static void *count(void *arg) {
    long me = (long)arg;
    char text[] = ",a;b";
    char *place;
    for (char *word = strtok_r(text, ",;", &place); word; word = strtok_r(0, ",;", &place)) words[me]++;
    return 0;
}

int main(void) {
    pthread_t one, other;
    pthread_create(&one, 0, count, (void *)0);
    pthread_create(&other, 0, count, (void *)1);
    pthread_join(one, 0);
    pthread_join(other, 0);
    assert(words[0] == 2 && words[1] == 2);
    return 0;
}
