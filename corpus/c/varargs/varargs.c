/* A variadic function that sets any number of cells, in order. */
#include <assert.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>

static int first_cell, second_cell, flag;

static void set(int value, ...) {
    va_list cells;
    va_start(cells, value);
    int *cell;
    while ((cell = va_arg(cells, int *)) != NULL)
        *cell = value++;
    va_end(cells);
}

static int sum(int count, ...) {
    va_list numbers;
    int total = 0;
    va_start(numbers, count);
    for (int i = 0; i < count; i++)
        total += va_arg(numbers, int);
    va_end(numbers);
    return total;
}

static void *writer(void *unused) {
    set(1, &first_cell, &second_cell, &flag, NULL);
    return unused;
}

static void *reader(void *unused) {
    if (flag == 3)
        assert(sum(2, first_cell, second_cell) == 3);
    return unused;
}

int main(void) {
    pthread_t first, second;
    pthread_create(&first, NULL, writer, NULL);
    pthread_create(&second, NULL, reader, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    return 0;
}
