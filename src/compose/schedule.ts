import { FetchCapability } from '../core/access/principal.ts'
import { createWebhooks } from '../outbound/webhook.ts'
import { outboundOptionsFor } from './bundled.ts'
import type { Config } from '../env.ts'
import type { Deployment } from './deployment.ts'
import { printLogEntry } from './platform.ts'
import { composePublishing, type Publishing } from './publishing.ts'

/** Limits of one run, so that many toolkits neither flood their servers nor exceed the limits of an invocation. */
const MAX_TOOLKITS = 10
const MAX_TOOLS = 2_000
const MAX_RUN_MS = 120_000
const MAX_COMPARISON_MS = 60_000
const MAX_MESSAGES = 20
/** Requests go only to the sources of imports and to the webhook of the settings. */
const CAPABILITY = new FetchCapability('schedule')

/** Compares toolkits with their sources, those compared longest ago first, and posts new findings. */
export async function runSchedule(deployment: Deployment): Promise<void> {
  const publishing = await composePublishing(deployment)
  await compareToolkits(publishing)
  await postFindings(deployment.config, publishing)
}

async function compareToolkits({ compare, findings }: Publishing): Promise<void> {
  const end = Date.now() + MAX_RUN_MS
  const compared = new Set<string>()
  let tools = 0
  while (compared.size < MAX_TOOLKITS && tools < MAX_TOOLS && Date.now() < end) {
    const [source] = await findings.takeSources({ limit: 1 })
    if (!source || compared.has(source.toolkit)) return
    compared.add(source.toolkit)
    tools += source.tools.length
    const entry = { event: 'comparison', toolkit: source.toolkit }
    try {
      const { state, differences } = await compare(source, CAPABILITY, AbortSignal.timeout(MAX_COMPARISON_MS))
      printLogEntry({ ...entry, state, differences: differences.length })
    } catch (error) {
      printLogEntry({ ...entry, error: String(error) })
    }
  }
}

/** Posts new findings. If a message is not received, later runs post it again with the same id. */
async function postFindings(config: Config, { findings }: Publishing): Promise<void> {
  const { findingsWebhook } = config
  if (!findingsWebhook) return
  const { url, secret } = findingsWebhook
  const postWebhook = createWebhooks(outboundOptionsFor(config), CAPABILITY)
  const receivedIds: string[] = []
  for (const message of await findings.takeMessages([], MAX_MESSAGES)) {
    const { kind } = await postWebhook(message, { url, secrets: [secret] })
    const hasArrived = kind === 'received'
    printLogEntry({ event: 'webhook', id: message.id, received: hasArrived })
    if (hasArrived) receivedIds.push(message.id)
  }
  if (receivedIds.length > 0) await findings.takeMessages(receivedIds, 0)
}
