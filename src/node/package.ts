/**
 * Builds the package that others install (`npm run prepare`), because Node does not run TypeScript in `node_modules`. It has
 * a separate manifest: with the repository's, npm would warn about scripts that are missing from the package.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { agentHostsFile } from './agent-hosts.ts'
import { examplesFile } from './examples.ts'
import repository from '../../package.json' with { type: 'json' }
import { writeChanged } from './write-changed.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { values } = parseArgs({ options: { outdir: { type: 'string', default: join(root, 'dist/package') } } })
const outdir = resolve(values.outdir)

// After an install, nothing is generated yet, and an error in a tool must not make the install fail
const generated = join(root, 'src/generated')
mkdirSync(generated, { recursive: true })
for (const [file, text] of [await agentHostsFile(), await examplesFile()])
  await writeChanged(join(generated, file), text)
rmSync(outdir, { recursive: true, force: true })
const shared = { absWorkingDir: root, bundle: true, format: 'esm', logLevel: 'warning' } as const
await build({
  ...shared,
  entryPoints: ['src/client/index.ts'],
  outfile: join(outdir, 'client.js'),
  platform: 'neutral',
  target: 'es2022',
})
await build({
  ...shared,
  entryPoints: { switchboard: 'src/cli/main.ts' },
  outdir,
  // Code that few commands need is loaded on demand
  splitting: true,
  charset: 'utf8',
  platform: 'node',
  target: 'node20',
  mainFields: ['module', 'main'],
  banner: {
    js: "#!/usr/bin/env node\nimport { createRequire } from 'node:module'\nconst require = createRequire(import.meta.url)",
  },
})
chmodSync(join(outdir, 'switchboard.js'), 0o755)
const { name, version, description, license, type, bin, exports, engines } = repository
const manifest = { name, version, description, license, private: true, type, bin, exports, engines }
writeFileSync(join(outdir, 'package.json'), JSON.stringify(manifest, null, 2).replaceAll('dist/package/', ''))
for (const file of ['LICENSE', 'README.md']) copyFileSync(join(root, file), join(outdir, file))
const tsc = join(root, 'node_modules/typescript/bin/tsc')
const emit = ['--noEmit', 'false', '--declaration', '--emitDeclarationOnly', '--outDir', join(outdir, 'client')]
const { status } = spawnSync(process.execPath, [tsc, '-p', 'src/client', ...emit], { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
