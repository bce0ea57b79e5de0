# SPDX-License-Identifier: MIT
# vectors.awk resp2.tsv - the table as C: struct row rows[] of tests/targets/vectors.h, texts in flash.

BEGIN {
    FS = "\t"
    print "#include \"tests/targets/vectors.h\""
}

/^#/ || $1 == "id" { next }
{
    gsub(/"/, "\\x22", $2)
    gsub(/\\x[0-9a-f][0-9a-f]/, "&\"\"", $2) # its escapes are those of C, where a hexadecimal one has no end
    gsub(/\\/, "&&", $4)
    gsub(/"/, "\\\"", $4)
    n++
    printf "static const char input_%d[] FLASH = \"%s\";\n", n, $2
    printf "static const char expected_%d[] FLASH = \"%s\";\n", n, $4
    rows = rows sprintf("    {%d, sizeof input_%d - 1, input_%d, expected_%d},\n", FNR, n, n, n)
}

END { printf "const struct row rows[] = {\n%s};\nconst uint8_t rows_n = %d;\n", rows, n }
