/* Numbers in texts, and streams: a part of library.c. */

int *__errno_location(void);
static size_t number(const char *text, char **end, int base, _Bool has_sign) {
    const char *at = text;
    _Bool negative = 0, any = 0, over = 0;
    while (*at == ' ' || (*at >= 9 && *at <= 13))
        at++;
    if (*at == '-' || *at == '+')
        negative = *at++ == '-';
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] | 32) == 'x')
        at += 2, base = 16;
    if (base == 0)
        base = *at == '0' ? 8 : 10;
    size_t value = 0;
    for (;; at++) {
        int digit = *at >= '0' && *at <= '9' ? *at - '0' : (*at | 32) >= 'a' && (*at | 32) <= 'z' ? (*at | 32) - 'a' + 10 : 99;
        if (digit >= base)
            break;
        any = 1;
        over |= value > (~0ul - digit) / base;
        value = value * base + digit;
    }
    if (end)
        *end = (char *)(any ? at : text);
    size_t most = has_sign ? ~0ul / 2 + negative : ~0ul;
    if (over || value > most) {
        *__errno_location() = 34;
        return has_sign ? most : ~0ul;
    }
    return negative ? 0 - value : value;
}
WEAK long strtol(const char *text, char **end, int base) { return number(text, end, base, 1); }
WEAK long strtoll(const char *text, char **end, int base) { return number(text, end, base, 1); }
WEAK size_t strtoul(const char *text, char **end, int base) { return number(text, end, base, 0); }
WEAK size_t strtoull(const char *text, char **end, int base) { return number(text, end, base, 0); }

/* ---- Streams: what is written to a string is kept, all other output is read and dropped ---- */

/* A stream: its table, and behind it what all streams have. A std::ostringstream keeps its text where its buffer would be. */
struct stream {
    void *const *table;
    char *text;
    size_t length;
};
#define BASE_SIZE 264
static void *const output_table[] = {(void *)8, 0, 0, 0}, *const input_table[] = {(void *)16, 0, 0, 0},
                  *const string_table[] = {(void *)112, 0, 0, 0};
struct console {
    void *const *table;
    char rest[16 + BASE_SIZE];
};
WEAK struct console _ZSt4cout = {&output_table[3]}, _ZSt4cerr = {&output_table[3]}, _ZSt4clog = {&output_table[3]},
                    _ZSt3cin = {&input_table[3]};

/* Widths, bases and digits of fractions are not followed: a text with them is refused. */
void __fencewright_formats(void);
#define PLAIN_FLAGS 0x1002
#define WIDTH(to) (*(long *)((char *)(to) + 112 + 16))
#define FLAGS(to) (*(int *)((char *)(to) + 112 + 24))

/* Reads what is printed: its bits must be set. */
void __fencewright_prints(size_t value);
void __fencewright_prints_fraction(double value);
void __fencewright_prints_text(const char *text);
void __fencewright_prints_bytes(const char *text, size_t length);

static void append(struct stream *to, const char *text, size_t length) {
    if (to->table != &string_table[3]) {
        __fencewright_prints_bytes(text, length);
        return;
    }
    if (WIDTH(to) != 0 || FLAGS(to) != PLAIN_FLAGS)
        __fencewright_formats();
    char *longer = malloc(to->length + length + 1);
    if (to->text)
        memcpy(longer, to->text, to->length);
    memcpy(longer + to->length, text, length);
    free(to->text);
    to->text = longer;
    to->length += length;
}
static struct stream *text(struct stream *to, const char *text) {
    if (to->table == &string_table[3])
        append(to, text, strlen(text));
    else
        __fencewright_prints_text(text);
    return to;
}
static struct stream *letter(struct stream *to, char c) {
    if (to->table == &string_table[3])
        append(to, &c, 1);
    else
        __fencewright_prints(c);
    return to;
}
static struct stream *decimal(struct stream *to, size_t value, _Bool negative) {
    if (to->table != &string_table[3]) {
        __fencewright_prints(value);
        return to;
    }
    char digits[24];
    int at = 24;
    if (negative)
        value = 0 - value;
    do
        digits[--at] = '0' + value % 10;
    while (value /= 10);
    if (negative)
        digits[--at] = '-';
    append(to, digits + at, 24 - at);
    return to;
}
#define SIGNED(letter, type) \
    WEAK struct stream *_ZNSolsE##letter(struct stream *to, type value) { \
        if (to->table == &string_table[3])                                       \
            return decimal(to, (long)value, value < 0);                          \
        __fencewright_prints(value);                                             \
        return to;                                                               \
    }
#define UNSIGNED(letter, type) \
    WEAK struct stream *_ZNSolsE##letter(struct stream *to, type value) { return decimal(to, value, 0); }
SIGNED(s, short)
SIGNED(i, int)
SIGNED(l, long)
SIGNED(x, long long)
UNSIGNED(b, _Bool)
UNSIGNED(t, unsigned short)
UNSIGNED(j, unsigned)
UNSIGNED(m, unsigned long)
UNSIGNED(y, unsigned long long)

WEAK struct stream *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc(struct stream *to, const char *from) {
    return text(to, from);
}
WEAK struct stream *_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_c(struct stream *to, char c) { return letter(to, c); }
WEAK struct stream *_ZNSo3putEc(struct stream *to, char c) { return letter(to, c); }
WEAK struct stream *_ZNSo5writeEPKcl(struct stream *to, const char *from, long length) {
    append(to, from, length);
    return to;
}
WEAK struct stream *_ZSt16__ostream_insertIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_PKS3_l(
    struct stream *to, const char *from, long length) {
    append(to, from, length);
    return to;
}
WEAK struct stream *_ZStlsIcSt11char_traitsIcESaIcEERSt13basic_ostreamIT_T0_ES7_RKNSt7__cxx1112basic_stringIS4_S5_T1_EE(
    struct stream *to, struct string *from) {
    append(to, from->text, from->length);
    return to;
}
WEAK struct stream *_ZSt4endlIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(struct stream *to) { return letter(to, '\n'); }
WEAK struct stream *_ZSt5flushIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_(struct stream *to) { return to; }
WEAK struct stream *_ZNSolsEPFRSoS_E(struct stream *to, struct stream *(*function)(struct stream *)) { return function(to); }

WEAK struct stream *_ZNSolsEPFRSt8ios_baseS0_E(struct stream *to, void *(*function)(void *)) {
    if (to->table == &string_table[3])
        function((char *)to + 112);
    return to;
}
#define REFUSED(mangled, type, prints)                                                                    \
    WEAK struct stream *_Z##mangled(struct stream *to, type value) {                                      \
        if (to->table == &string_table[3])                                                               \
            __fencewright_formats();                                                                     \
        prints;                                                                                          \
        return to;                                                                                       \
    }
REFUSED(NSolsEd, double, __fencewright_prints_fraction(value))
REFUSED(NSolsEf, float, __fencewright_prints_fraction(value))
REFUSED(NSolsEPKv, void *, __fencewright_prints((size_t)value))
REFUSED(StlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St5_Setw, int, __fencewright_prints(value))
REFUSED(StlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St13_Setprecision, int, __fencewright_prints(value))
REFUSED(StlsIcSt11char_traitsIcEERSt13basic_ostreamIT_T0_ES6_St8_SetfillIS3_E, byte, __fencewright_prints(value))

#define STRING_STREAM(mangled)                                                                           \
    WEAK void _ZNSt7__cxx1119basic_##mangled##IcSt11char_traitsIcESaIcEEC1Ev(struct stream *this) {      \
        byte *bytes = (byte *)this;                                                                      \
        for (int at = 0; at < 112 + BASE_SIZE; at++)                                                     \
            bytes[at] = 0;                                                                               \
        this->table = &string_table[3];                                                                  \
        FLAGS(this) = PLAIN_FLAGS;                                                                       \
    }                                                                                                    \
    WEAK void _ZNSt7__cxx1119basic_##mangled##IcSt11char_traitsIcESaIcEED1Ev(struct stream *this) { free(this->text); } \
    WEAK void _ZNKSt7__cxx1119basic_##mangled##IcSt11char_traitsIcESaIcEE3strEv(                         \
        struct string *result, struct stream *this) {                                                    \
        make_string(result, this->text, this->length);                                                   \
    }                                                                                                    \
    WEAK void _ZNKRSt7__cxx1119basic_##mangled##IcSt11char_traitsIcESaIcEE3strEv(                        \
        struct string *result, struct stream *this) {                                                    \
        make_string(result, this->text, this->length);                                                   \
    }
STRING_STREAM(ostringstream)

/* Numbers that are read are open; any of them may be missing. What all streams have holds the state of the stream. */
_Bool __VERIFIER_nondet_bool(void);
#define STATE(all) (*(int *)((char *)(all) + 32))
enum { BAD = 1, END = 2, FAILED = 4 };
static _Bool reads(struct stream *from) {
    int *state = &STATE((char *)from + 16);
    if (*state == 0 && __VERIFIER_nondet_bool())
        *state = END | FAILED;
    return *state == 0;
}
#define READ(letter, type, name)                                                                          \
    type __VERIFIER_nondet_##name(void);                                                                  \
    WEAK struct stream *_ZNSirsER##letter(struct stream *from, type *to) {                                \
        *to = reads(from) ? __VERIFIER_nondet_##name() : 0;                                               \
        return from;                                                                                      \
    }
READ(s, short, short)
READ(t, unsigned short, ushort)
READ(i, int, int)
READ(j, unsigned, uint)
READ(l, long, long)
READ(m, unsigned long, ulong)
WEAK struct stream *_ZStrsIcSt11char_traitsIcEERSt13basic_istreamIT_T0_ES6_RS3_(struct stream *from, char *to) {
    char __VERIFIER_nondet_char(void);
    if (reads(from))
        *to = __VERIFIER_nondet_char();
    return from;
}
WEAK _Bool _ZNKSt9basic_iosIcSt11char_traitsIcEEcvbEv(void *all) { return !(STATE(all) & (BAD | FAILED)); }
WEAK _Bool _ZNKSt9basic_iosIcSt11char_traitsIcEEntEv(void *all) { return STATE(all) & (BAD | FAILED); }
WEAK _Bool _ZNKSt9basic_iosIcSt11char_traitsIcEE4failEv(void *all) { return STATE(all) & (BAD | FAILED); }
WEAK _Bool _ZNKSt9basic_iosIcSt11char_traitsIcEE4goodEv(void *all) { return STATE(all) == 0; }
WEAK _Bool _ZNKSt9basic_iosIcSt11char_traitsIcEE3eofEv(void *all) { return STATE(all) & END; }
WEAK void _ZNSt9basic_iosIcSt11char_traitsIcEE5clearESt12_Ios_Iostate(void *all, int state) { STATE(all) = state; }
WEAK void _ZNSt9basic_iosIcSt11char_traitsIcEE8setstateESt12_Ios_Iostate(void *all, int state) { STATE(all) |= state; }
