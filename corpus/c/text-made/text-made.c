/* What snprintf writes, and what it gives when the text is cut. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    char text[16];
    volatile int number = -5;
    int length = snprintf(text, sizeof text, "w%d-%03x", number, 10);
    assert(length == 7 && strcmp(text, "w-5-00a") == 0);
    length = snprintf(text, 4, "%s", "abcdef");
    assert(length == 6 && strcmp(text, "abc") == 0);
    return 0;
}
