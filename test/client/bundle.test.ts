import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { expect, it } from 'vitest'

const entry = fileURLToPath(new URL('../../src/client/index.ts', import.meta.url))

it('the client is smaller than 5 kB, and needs only what every platform has', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    metafile: true,
    write: false,
  })
  const [file] = outputFiles
  expect(Object.keys(metafile.inputs).length).toBeGreaterThan(5)
  for (const path of Object.keys(metafile.inputs)) expect(path).toMatch(/(?:^|\/)src\/client\/[\w-]+\.ts$/)
  expect(gzipSync(file?.contents ?? '').byteLength).toBeLessThan(5_000)
  expect(file?.text).not.toMatch(/\b(?:process|Buffer|require|__dirname)\b/)
})
