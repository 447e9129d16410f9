import { exports, waitUntil } from 'cloudflare:workers'
import type { WriteAuditEvent } from '../core/access/audit-entry.ts'
import { formatRefusal } from '../core/access/change-refusal.ts'
import { ADMIN, type Principal } from '../core/access/principal.ts'
import type { RegistryWriter } from '../core/publish/registry.ts'
import type { ToolRecord } from '../core/tool/tool.ts'
import type { Config, Env } from '../env.ts'
import { createProcessRunner, END_REASONS, type EndReason } from '../runners/sandbox/process-runner.ts'
import { createLoaderRunner, createSandbox, createIsolateQuota } from '../runners/sandbox/sandbox.ts'
import { sha256 } from '../storage/sealing/sha256.ts'
import { printLogEntry, sandboxPolicies } from './platform.ts'

/** Acts as an administrator, so that only an administrator can enable a tool that the watchdog disabled. */
const WATCHDOG: Principal = { ...ADMIN, id: 'watchdog' }

/** Runs published code in separate processes if there are any, else in isolates of this process. */
export function openSandbox(env: Env, config: Config, writer: RegistryWriter, writeAuditEntry: WriteAuditEvent) {
  const { LOADER, SANDBOX_SHARED: shared, WATCHDOG: watchdog } = env
  if (!LOADER) return undefined
  const { now } = Date
  const quota = config.isSelfHosted ? createIsolateQuota() : undefined
  const run =
    shared && watchdog
      ? createProcessRunner({
          shared,
          alone: [env.SANDBOX_ALONE_0, env.SANDBOX_ALONE_1, env.SANDBOX_ALONE_2].filter((host) => host !== undefined),
          watchdog,
          policies: sandboxPolicies,
          background: waitUntil,
          now,
          onEnd: () => quota?.clear(),
          onThirdEnd: disableTool,
        })
      : createLoaderRunner(LOADER, (props) => exports.Egress({ props }))
  return createSandbox({ run, sha256, quota })

  async function disableTool({ id, toolkit, tool, version }: ToolRecord, reason: EndReason): Promise<void> {
    const message = `The watchdog ended this tool three times and disabled it: the last time it ${END_REASONS[reason]}`
    const change = { status: { state: 'disabled', message } } as const
    const result = await writer.change({ toolkit, tool }, version, change, WATCHDOG)
    if (!result.ok) return printLogEntry({ event: 'tool-not-disabled', tool: id, reason: formatRefusal(result) })
    const request = {
      act: 'tool.change',
      method: 'PATCH',
      path: `/tools/${id}`,
      outcome: 'success',
      status: 200,
    } as const
    writeAuditEntry({ at: now(), principal: WATCHDOG.id, ...request, about: change }, waitUntil)
  }
}
