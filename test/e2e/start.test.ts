import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { modulesIn } from '../../src/node/bundle.ts'
import { buildBundle, type Server, startServer } from './server.ts'

/** Of which a call of a tool that asks for nothing needs none. */
const SELDOM =
  /^src\/(?:app\.ts|api|console|docs|importers|sign-in|oauth-client|generated\/(?:console|inside)\.ts|compose\/(?:dialects|tool-faces|access-faces|publishing|runners)|dialects\/(?!oxp)|formats|core\/publish\/p|runners\/(?!bundled|sandbox|shared)|http\/caller\/jwt\.ts)|^node_modules\/(?!hono\/|jose\/dist\/webapi\/(?:util|lib\/(?:base64|buffer_utils))|semver\/|lru-cache\/|ipaddr\.js\/|canonicalize\/|fastest-levenshtein\/)/

it("a start evaluates what calls need before the first call's response, and everything else on first use", async () => {
  const { folder, remove } = await buildBundle()
  const { outputs } = JSON.parse(readFileSync(join(folder, 'bundle-meta.json'), 'utf8'))
  const sizes = new Map<string, Record<string, { readonly bytesInOutput: number }>>(
    Object.entries<{ readonly inputs: Record<string, { readonly bytesInOutput: number }> }>(outputs).map(
      ([path, { inputs }]) => [basename(path), inputs],
    ),
  )
  for (const { path, contents } of await modulesIn(folder, 'index.mjs')) {
    writeFileSync(path, `console.log('evaluated ${basename(path)}')\n${contents}`)
  }
  const evaluated = ({ printed }: Server) =>
    new Map(
      [...printed().matchAll(/^evaluated (.+)$/gm)].flatMap(([, name = '']) =>
        Object.entries(sizes.get(name) ?? {}).map(([path, { bytesInOutput }]) => [path, bytesInOutput] as const),
      ),
    )
  const call = ({ json }: Server) => json('POST', '/tools/call', { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } })

  // The first isolate of a deployment has the registry take in the bundled tools
  const first = await startServer({ bundle: folder })
  expect((await call(first)).body.result.value).toBe(3)
  await first.stop({ keep: true })
  const server = await startServer({ bundle: folder, persistTo: first.persistTo })
  try {
    expect((await call(server)).body.result.value).toBe(3)
    const needed = evaluated(server)
    const own = [...needed].filter(([path]) => !path.startsWith('test/fixtures/'))
    const bytes = own.reduce((sum, [, size]) => sum + size, 0)
    console.log(`The first call evaluates ${own.length} files, ${(bytes / 1000).toFixed(1)} kB`)
    expect(own.map(([path]) => path).filter((path) => SELDOM.test(path))).toEqual([])
    expect(own.map(([path]) => path)).toContain('src/core/call/call.ts')
    expect(bytes).toBeLessThan(420_000)

    expect((await server.json('GET', '/keys')).status).toBe(200)
    expect([...evaluated(server).keys()]).toContain('src/app.ts')
    expect([...evaluated(server).keys()]).not.toContain('src/docs/guide.tsx')
    expect((await fetch(`${server.url}/docs`)).status).toBe(200)
    expect([...evaluated(server).keys()]).toContain('src/docs/guide.tsx')
  } finally {
    await server.stop()
    remove()
  }
})
