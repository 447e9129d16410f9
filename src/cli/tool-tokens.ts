import { setImmediate } from 'node:timers/promises'
import { formatJson, getText, type JsonRecord } from '../client/json.ts'
import { countListTokens, createTokenCounter } from '../core/tool/tokens.ts'
import type { CliSession } from './context.ts'
import { listToolsOverMcp } from './mcp-tools.ts'

/** Adds to each item the number of tokens in its MCP definition. MCP lists only tools that can be called. */
export async function addTokens(session: CliSession, items: readonly JsonRecord[]) {
  const ids = new Set(items.map(({ id }) => id))
  const tools = (await listToolsOverMcp(session)).filter((tool) => ids.has(getToolId(tool)))
  const { default: ranks } = await import('gpt-tokenizer/bpeRanks/o200k_base')
  const texts = tools.map((tool) => formatJson(tool) ?? '')
  const { tools: counts, total } = await countListTokens(texts, createTokenCounter(ranks), setImmediate)
  const tokensById = new Map(tools.map((tool, index) => [getToolId(tool), counts[index]]))
  return { items: items.map((item) => ({ ...item, tokens: tokensById.get(getText(item, 'id')) })), tokens: total }
}

const getToolId = ({ _meta }: JsonRecord) => getText(_meta, 'dev.switchboard/id')
