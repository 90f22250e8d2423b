/* Every thread gets the address of the same loop variable as its number. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int marks[3];

static void *mark(void *argument) {
    marks[*(int *)argument] = 1;
    return NULL;
}

int main(void) {
    pthread_t threads[2];
    int i;
    for (i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, mark, &i);
    for (int j = 0; j < 2; j++)
        pthread_join(threads[j], NULL);
    assert(marks[0] == 1);
    assert(marks[1] == 1);
    return 0;
}
