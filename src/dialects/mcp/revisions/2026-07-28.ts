import type { Seal } from '../../../core/call/seal.ts'
import { listedTool, shownName } from '../tool-document.ts'
import { outputKind } from '../tool-schema.ts'
import { VERSIONS_FROM_2026 } from './2026-07-28/envelope.ts'
import { beginRound } from './2026-07-28/input-required.ts'
import type { Revision, ServerInfo } from './revision.ts'

const SERVER_KEY = 'io.modelcontextprotocol/serverInfo'

/** As long as an isolate keeps the catalogue. */
const TTL_MS = 5_000

/** MCP 2026-07-28: without a handshake. The state that a client gives back with its answers is sealed. */
export function revision2026(serverInfo: ServerInfo, seal: Seal): Revision {
  const meta = `"_meta":${JSON.stringify({ [SERVER_KEY]: { ...serverInfo } })}`
  const cached = `"ttlMs":${TTL_MS},"cacheScope":"private"`
  const discovered = `{"resultType":"complete","supportedVersions":${JSON.stringify(VERSIONS_FROM_2026)},"capabilities":{"tools":{}},${cached},${meta}}`
  const inputRequired = (members: string) => `{"resultType":"input_required",${members},${meta}}`
  const revision: Revision = {
    format: 'mcp-2026-07-28',
    statuses: {},
    disconnectCancels: true,
    tool: (record, name) => listedTool(record, shownName(record, name)),
    structured(value, text, output) {
      const kind = outputKind(output)
      return kind === 'none' || (kind === 'any' && value === null) ? undefined : text
    },
    result(members, own) {
      const all = own ? `"_meta":${JSON.stringify({ ...own, [SERVER_KEY]: { ...serverInfo } })}` : meta
      return `{"resultType":"complete",${members},${all}}`
    },
    listResult: (members) => `{"resultType":"complete",${members},${cached},${meta}}`,
    answer: (method) => (method === 'server/discover' ? discovered : undefined),
    round: (call, client) => beginRound(call, client, { seal, revision, inputRequired }),
  }
  return revision
}
