import { execFileSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/**
 * Makes the published package in `dist`, which `npm pack ./dist` packs: the sources as JavaScript, since Node strips no
 * types under `node_modules`, and the files that they read. The paths in it are those of the repository. A package.json
 * of its own keeps `engines` from the repository's, whose packages bring their own Node.
 */
const out = 'dist'
const compile = (...args: string[]) => execFileSync('tsc', args, { stdio: 'inherit' })

rmSync(out, { recursive: true, force: true })
compile('-p', 'tsconfig.build.json')
const assets = globSync('{src,rest/openapi}/**/*.{sql,json,html,css,js,csv,graphql}')
for (const path of [...assets, 'bin', 'mcp', 'LICENSE', 'README.md', 'CHANGELOG.md']) {
  cpSync(path, `${out}/${path}`, { recursive: true })
}

const { name, version, description, license, type, bin, exports, dependencies } = JSON.parse(
  readFileSync('package.json', 'utf8'),
)
const published = { name, version, description, license, type, bin, exports, dependencies }
const engines = { node: '>=22.18' }
writeFileSync(`${out}/package.json`, `${JSON.stringify({ ...published, engines }, null, 2)}\n`)
