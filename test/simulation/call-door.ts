import { toIdRef } from '../../src/core/tool/tool-ref.ts'
import { createBudget } from '../../src/core/tool/budget.ts'
import type { CallLimits } from '../../src/core/access/call-limits.ts'
import type { Principal } from '../../src/core/access/principal.ts'
import { createToolSecrets } from '../../src/core/access/tool-secrets.ts'
import { createCallableTool } from '../../src/core/call/callable-tool.ts'
import { createCallTool } from '../../src/core/call/call.ts'
import type { CallOutcome } from '../../src/core/call/call-request.ts'
import { startDeadline } from '../../src/compose/platform.ts'
import type { RunResult } from '../../src/core/call/runner.ts'
import { createCallLimiter, type CallLimiter } from '../../src/core/call/call-limiter.ts'
import type { JsonObject } from '../../src/core/tool/json.ts'
import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { noArtifacts } from '../../src/storage/artifacts/r2-artifacts.ts'
import { noUploads } from '../../src/storage/artifacts/r2-uploads.ts'
import { Fault } from './network.ts'
import { Violation } from './violation.ts'
import type { Place, World } from './world.ts'

/** A call as a client sends it, and its tool's behavior. */
export interface SentCall {
  readonly principal: Principal
  readonly callId?: string
  readonly tool: ToolRecord
  readonly input: JsonObject
  /** Runs the tool. The signal aborts if the call ends first. */
  readonly run: (place: Place, signal: AbortSignal) => Promise<RunResult>
  /** Called when the platform ends the request: it does nothing more and sends no response. */
  readonly cutOff: () => void
  /** Aborts when the client disconnects. */
  readonly gone: AbortSignal
}

export interface DoorOptions {
  /** Finds how often a tool may be called. */
  readonly limitsOf: (tool: ToolRecord) => CallLimits | undefined
  readonly timeoutMs: number
  readonly makeTurns?: typeof createCallLimiter
}

export const HOME = 'https://switchboard.example/'
const NEVER = new Promise<never>(() => undefined)

/** Runs calls in each isolate through all the real stages. The platform may end each stage wherever it waits. */
export function createDoors(world: World, { limitsOf, timeoutMs, makeTurns = createCallLimiter }: DoorOptions) {
  const { chance, weather } = world
  const turnsOf = new WeakMap<Place, CallLimiter>()

  return async function send(place: Place, sent: SentCall): Promise<CallOutcome['result']> {
    const { principal, callId, tool, input, run, cutOff, gone } = sent
    const { idempotencyRecords, vault, now } = place
    const turns = turnsOf.get(place) ?? makeTurns(now)
    turnsOf.set(place, turns)
    const limits = limitsOf(tool)
    let isOver = false
    let hasRun = false
    const { promise: ended, reject } = Promise.withResolvers<never>()
    ended.catch(() => undefined)

    /** Reports a tool's error as a defect: otherwise it would become a failed call, and hide a violation. */
    function fail(error: unknown): never {
      world.defect(error)
      throw error
    }

    /** Waits for work, unless the request is ended meanwhile. */
    async function lasting<T>(work: Promise<T>): Promise<T> {
      const settled = await work.then(
        (value) => () => value,
        (error: unknown) => () => {
          throw error
        },
      )
      if (!isOver && chance.happens(weather.ends)) {
        isOver = true
        cutOff()
        reject(new Fault('The request has ended'))
      }
      return isOver ? NEVER : settled()
    }

    const call = createCallTool({
      holdFiles: async () => () => undefined,
      resolver: {
        suggest: () => [],
        resolve: () => ({
          ok: true,
          tool: createCallableTool(
            {
              record: tool,
              runnable: {
                ok: true,
                run(_, { deadline }) {
                  hasRun = true
                  return lasting(run(place, deadline.signal).catch(fail))
                },
                timeoutMs,
              },
              validateInput: () => [],
              validateOutput: () => [],
            },
            limits ? [{ pattern: '', limits }] : [],
          ),
          status: { state: 'active' },
          publisher: { principal: 'admin', trusted: true },
        }),
        invalidate: () => undefined,
      },
      findCandidates: async () => [],
      toolSecrets: createToolSecrets(new Map(), () => undefined),
      userTokens: vault,
      approvals: { claim: (asked) => lasting(vault.claim(asked)) },
      artifacts: noArtifacts,
      uploads: noUploads,
      callLimiter: turns,
      idempotencyRecords: {
        async claim(asked) {
          const claimed = await lasting(idempotencyRecords.claim(asked))
          if (claimed.state !== 'claimed') return claimed
          return {
            ...claimed,
            settle(finished) {
              if (finished && !hasRun)
                world.defect(new Violation(`'${callId}' is kept as a call that ran, and did not`))
              return lasting(claimed.settle(finished))
            },
          }
        },
      },
      inlineBytes: { program: 262_144, model: 262_144 },
      now,
      newId: () => crypto.randomUUID(),
      startDeadline(ms, caller) {
        const deadline = startDeadline(ms, caller)
        return {
          get signal() {
            return deadline.signal
          },
          race(work) {
            const first = deadline.race(work)
            return first instanceof Promise ? lasting(first) : first
          },
        }
      },
      fingerprint: async (value) => JSON.stringify(value),
      base64: (text) => text,
      span: (_, __, work) => work(),
      writeRecord: () => undefined,
      defect: (_, __, message) => void world.note(`DEFECT ${message}`),
    })
    const made = call(
      {
        toolRef: toIdRef(tool.id),
        ...(callId === undefined ? {} : { callId }),
        input,
        context: { tokens: new Map(), secrets: new Map() },
      },
      {
        principal,
        background: () => undefined,
        dialect: 'oxp',
        audience: 'program',
        budget: createBudget(Infinity),
        signal: () => gone,
        requestUrl: () => HOME,
      },
    )
    return (await Promise.race([made, ended])).result
  }
}

export type SendCall = ReturnType<typeof createDoors>
