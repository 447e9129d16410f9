import type { ListedDialect, RemoteDialect } from '../core/tool/remote-dialect.ts'
import { machineContextClient } from '../dialects/machine-context/client.ts'
import { mcpClient } from '../dialects/mcp/client.ts'
import { openToolCallingClient } from '../dialects/open-tool-calling/client.ts'
import { oxpClient } from '../dialects/oxp/client.ts'
import { pluginClient } from '../dialects/plugin/client.ts'

const httpDialects: readonly RemoteDialect[] = [oxpClient, openToolCallingClient, machineContextClient, pluginClient]

export const remoteDialects: ReadonlyMap<string, RemoteDialect> = new Map(
  httpDialects.map((dialect) => [dialect.protocol, dialect]),
)

export const listedDialects: readonly ListedDialect[] = [mcpClient, ...httpDialects]
