/* Two halves of an array are sorted by two threads with a comparison function, then searched. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

struct half {
    int *numbers;
    size_t count;
};

static int numbers[5] = {7, 1, 4, 3, 2};

static int compare(const void *left, const void *right) {
    int a = *(const int *)left, b = *(const int *)right;
    return (a > b) - (a < b);
}

static void *sort(void *argument) {
    struct half *half = argument;
    qsort(half->numbers, half->count, sizeof(int), compare);
    return NULL;
}

int main(void) {
    struct half halves[2] = {{numbers, 3}, {numbers + 3, 2}};
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, sort, &halves[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    int wanted = 4;
    int *found = bsearch(&wanted, numbers, 3, sizeof(int), compare);
    assert(found == &numbers[1]);
    assert(numbers[0] == 1 && numbers[2] == 7 && numbers[3] == 2 && numbers[4] == 3);
    return 0;
}
