/* The user may give any number of words. */
#include <assert.h>

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 3)
        assert(argc != 7);
    return 0;
}
