import { createHash } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { createUpstreams } from '../../../src/runners/remote/upstreams.ts'
import { readAll } from '../../importers/reading.ts'
import { startUpstream } from '../../upstream.ts'
import { importerFrom, upstreamDeps } from './set-up.ts'

const LIMIT_MS = 20_000
const TEXT = '---\nname: how\ndescription: How to\n---\n'
const URI = 'skill://far/how/SKILL.md'
const RESOURCE = { uri: URI, digest: `sha256:${createHash('sha256').update(TEXT).digest('hex')}`, size: TEXT.length }
const SKILL = { uri: URI, frontmatter: { name: 'how', description: 'How to' }, resources: [RESOURCE] }
const RESULTS: Readonly<Record<string, object>> = {
  'server/discover': {
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {}, resources: {}, extensions: { 'io.modelcontextprotocol/skills': {} } },
  },
  'tools/list': { tools: [{ name: 'any', inputSchema: { type: 'object' } }] },
  'skills/list': { skills: [SKILL] },
  'resources/read': { contents: [{ uri: URI, mimeType: 'text/markdown', text: TEXT }] },
}

/** Imports a server that leaves `silent` unanswered: the time for its skills is over once it is sent. */
async function importFrom(silent?: string) {
  const deadline = new AbortController()
  const { timeout } = AbortSignal
  const timeouts = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((ms) => (ms === LIMIT_MS ? deadline.signal : timeout.call(AbortSignal, ms)))
  const server = await startUpstream(({ body }, response) => {
    const { id, method } = JSON.parse(body)
    if (method === silent) return deadline.abort()
    const result = { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...RESULTS[method] }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  try {
    const importer = importerFrom('mcp', createUpstreams(upstreamDeps(server.host)))
    const { tools, problems, skills } = await readAll(importer, { source: `${server.origin}/mcp`, wantsSkills: true })
    const methods = server.arrived.map(({ body }) => JSON.parse(body).method)
    return { tools: tools.map(({ definition }) => definition.tool), problems, skills, methods }
  } finally {
    timeouts.mockRestore()
    await server.close()
  }
}

test('the skills of a server are imported with its tools', async () => {
  const skills = [{ name: 'how', files: { 'SKILL.md': TEXT } }]
  expect(await importFrom()).toMatchObject({ tools: ['any'], problems: [], skills })
})

test.each([
  ['skills/list', []],
  ['resources/read', [{ name: 'how', files: undefined }]],
])('a server that leaves %s unanswered is imported with its tools after 20 seconds', async (silent, skills) => {
  const imported = await importFrom(silent)
  expect(imported).toMatchObject({ tools: ['any'], problems: [], skills })
  expect(imported.methods).toContain(silent)
})
