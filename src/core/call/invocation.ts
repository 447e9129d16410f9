import type { CredentialSnapshot, FileSnapshot, InvocationSnapshot } from '../consent/invocation-snapshot.ts'
import type { InputResponses } from '../tool/content.ts'
import type { Json, JsonObject } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { FileBytes } from './files.ts'
import type { CredentialPart } from './user-tokens.ts'

export interface Credential {
  readonly value: string
  readonly from: 'caller' | 'deployment'
  /** The user's account at the provider, where it is a grant; empty for the one without a name. */
  readonly account?: string
  /** What a person entered in several fields, by their names. */
  readonly parts?: ReadonlyMap<string, CredentialPart>
  readonly generation?: string
}

/** All that a tool is given for one call. What is not in it reaches no runner, is shown to nobody and bound to nothing. */
export interface Invocation {
  readonly input: JsonObject
  readonly userId: string | undefined
  readonly userInfo: JsonObject | undefined
  /** The Model Context Protocol's plugins take one in place of `tools/call`. */
  readonly method: string | undefined
  readonly answers: InputResponses | undefined
  readonly secrets: ReadonlyMap<string, Credential>
  readonly tokens: ReadonlyMap<string, Credential>
  readonly files: ReadonlyMap<string, FileBytes> | undefined
}

/** Values that no answer, log or report may say. */
export function sensitiveValues({ secrets, tokens }: Pick<Invocation, 'secrets' | 'tokens'>): string[] {
  return [...secrets.values(), ...tokens.values()].flatMap(listSensitiveValues)
}

export function listSensitiveValues({ value, parts }: Credential): string[] {
  if (!parts) return [value]
  return [value, ...[...parts.values()].flatMap((part) => (part.isSecret ? part.value : []))]
}

/** A keyed hash of a value as canonical JSON: whoever reads it cannot try out what it is of. */
export type Fingerprint = (value: Json) => Promise<string>

/**
 * One caller's calls with equal fingerprints give their tool the same. Without `files`, those are known by their handles
 * alone, which stand in the input and name bytes that never change.
 */
export async function fingerprintInvocation(
  call: {
    readonly record: Pick<ToolRecord, 'id' | 'digest'>
    readonly caller: { readonly principal: { readonly id: string } }
    readonly invocation: Invocation
  },
  fingerprint: Fingerprint,
  files: readonly FileSnapshot[] = [],
): Promise<{ readonly invocation: InvocationSnapshot; readonly fingerprint: string }> {
  const { record, caller, invocation } = call
  const principal = caller.principal.id
  const { id: tool, digest } = record
  const { input, userId, userInfo, method, answers, secrets, tokens, files: _, ...others } = invocation
  others satisfies Record<string, never>

  function snapshotCredentials(
    kind: CredentialSnapshot['kind'],
    byId: Invocation['tokens'],
  ): Promise<CredentialSnapshot[]> {
    const snapshots = [...byId].map(async ([id, { value, from, account }]): Promise<CredentialSnapshot> => {
      if (account !== undefined) return { id, kind, from: 'grant', account }
      if (from === 'deployment') return { id, kind, from }
      // With its caller and tool, so that nobody finds a short one by comparing pages of guesses of their own
      return { id, kind, from, hash: await fingerprint([principal, tool, kind, id, value]) }
    })
    return Promise.all(snapshots)
  }

  const snapshot: InvocationSnapshot = {
    principal,
    tool,
    digest,
    input,
    ...(userId === undefined ? {} : { user: userId }),
    ...(userInfo && { user_info: userInfo }),
    ...(method === undefined ? {} : { method }),
    ...(answers && (answers.state !== undefined || Object.keys(answers.responses).length > 0) ? { answers } : {}),
    credentials: [...(await snapshotCredentials('token', tokens)), ...(await snapshotCredentials('secret', secrets))],
    files,
  }
  return { invocation: snapshot, fingerprint: await fingerprint(snapshot) }
}
