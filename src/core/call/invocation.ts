import type { CredentialSnapshot, FileSnapshot, InvocationSnapshot } from '../consent/invocation-snapshot.ts'
import type { InputResponses } from '../tool/content.ts'
import type { Json, JsonObject } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { FileBytes } from './files.ts'
import type { CredentialPart } from './user-tokens.ts'

export interface Credential {
  readonly value: string
  readonly from: 'caller' | 'deployment'
  /** For a grant, the name of the user's account at the provider; empty for the unnamed account. */
  readonly account?: string
  /** Values that a person entered in several fields, by field name. */
  readonly parts?: ReadonlyMap<string, CredentialPart>
  readonly generation?: string
}

/** Everything that a tool receives for one call. Only this reaches a runner, is shown for approval and is fingerprinted. */
export interface Invocation {
  readonly input: JsonObject
  readonly userId: string | undefined
  readonly userInfo: JsonObject | undefined
  /** MCP plugins accept a method other than `tools/call`. */
  readonly method: string | undefined
  readonly answers: InputResponses | undefined
  readonly secrets: ReadonlyMap<string, Credential>
  readonly tokens: ReadonlyMap<string, Credential>
  readonly files: ReadonlyMap<string, FileBytes> | undefined
}

/** Lists values that no answer, log or report may contain. */
export function sensitiveValues({ secrets, tokens }: Pick<Invocation, 'secrets' | 'tokens'>): string[] {
  return [...secrets.values(), ...tokens.values()].flatMap(listSensitiveValues)
}

export function listSensitiveValues({ value, parts }: Credential): string[] {
  if (!parts) return [value]
  return [value, ...[...parts.values()].flatMap((part) => (part.isSecret ? part.value : []))]
}

/** A keyed hash of a value as canonical JSON. Readers of the hash cannot guess the value by trying. */
export type Fingerprint = (value: Json) => Promise<string>

/**
 * Computes a fingerprint that is equal only if one caller's calls give the tool equal invocations. Without `files`, files are
 * identified only by their handles in the input, whose bytes never change.
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
      // Includes the caller and tool, so that nobody can find a short secret by comparing approval pages of their own guesses
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
