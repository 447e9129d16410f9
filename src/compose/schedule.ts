import { FetchCapability } from '../core/access/principal.ts'
import { createWebhooks } from '../outbound/webhook.ts'
import { outboundOptionsFor } from './bundled.ts'
import type { Config } from '../env.ts'
import type { Deployment } from './deployment.ts'
import { printLogEntry } from './platform.ts'
import { composePublishing, type Publishing } from './publishing.ts'

/** Of one run, so that many toolkits neither flood their servers nor exceed what an invocation may use. */
const MAX_TOOLKITS = 10
const MAX_TOOLS = 2_000
const MAX_RUN_MS = 120_000
const MAX_COMPARISON_MS = 60_000
const MAX_MESSAGES = 20
/** The sources are those of imports, and the webhook is one of the settings. */
const CAPABILITY = new FetchCapability('schedule')

/** Compares the toolkits that were compared the longest ago with their sources, and posts new findings. */
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

/** A message that is not received is posted again in the next runs, with the same id. */
async function postFindings(config: Config, { findings }: Publishing): Promise<void> {
  const { findingsWebhook } = config
  if (!findingsWebhook) return
  const { url, secret } = findingsWebhook
  const postWebhook = createWebhooks(outboundOptionsFor(config), CAPABILITY)
  const received: string[] = []
  for (const message of await findings.takeMessages([], MAX_MESSAGES)) {
    const { kind } = await postWebhook(message, { url, secrets: [secret] })
    const hasArrived = kind === 'received'
    printLogEntry({ event: 'webhook', id: message.id, received: hasArrived })
    if (hasArrived) received.push(message.id)
  }
  if (received.length > 0) await findings.takeMessages(received, 0)
}
