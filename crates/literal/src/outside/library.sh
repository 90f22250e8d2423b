#!/bin/sh
# Makes library.ll of library.c with clang 14; nothing in the result says where it was made.
cd "$(dirname "$0")" || exit 1
{
    echo '; Made by library.sh from library.c: change that.'
    clang -x c -S -emit-llvm -O1 -w -fno-builtin -fno-vectorize -fno-unroll-loops -fno-asynchronous-unwind-tables \
        -o - library.c |
        sed -e '/^;/d' -e '/^source_filename/d' -e '/^target/d' -e '/^attributes/d' -e '/^!/d' -e '/^$/d' \
            -e 's/, !tbaa[.a-z]* ![0-9]*//g' -e 's/, !llvm.loop ![0-9]*//g' -e 's/ local_unnamed_addr//; s/ unnamed_addr//' \
            -e 's/ dso_local//g' -e 's/ #[0-9]*//g' -e 's/@sized_atomic_/@__atomic_/g' -e 's/ *; preds = .*//' \
            -e '/llvm.lifetime/d'
} >library.ll
