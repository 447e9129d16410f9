import { shareOwner } from '../../core/access/principal.ts'
import { type CallContent, type EndedCall, formatContent } from '../../core/call/call-content.ts'
import type { CallRecord } from '../../core/call/call-record.ts'
import { parseTrusted } from '../../core/tool/json-text.ts'
import { DAY_MS } from '../../core/tool/time.ts'
import { base64 } from '../../outbound/base64.ts'
import type { Sealer } from '../sealing/deployment-keys.ts'
import type { SealedContent } from './contents.ts'

/** Binds a sealed content to its owner and its call. */
const bind = (owner: string, { principal, call_id, at }: CallRecord) => JSON.stringify([owner, principal, call_id, at])

export async function sealContent(
  keyring: Sealer,
  days: number,
  call: CallRecord,
  endedCall: EndedCall,
): Promise<SealedContent | undefined> {
  const text = formatContent(endedCall, base64)
  if (text === undefined) return undefined
  const { call_id, at } = call
  const owner = shareOwner(endedCall.caller.principal)
  // The contents of a day are deleted together
  const until = at - (at % DAY_MS) + DAY_MS * (1 + days)
  return { owner, call_id, at, until, sealed: await keyring.seal(text, bind(owner, call)) }
}

export async function unsealContent(keyring: Sealer, sealed: string, owner: string, call: CallRecord) {
  const unsealedContent = await keyring.unseal(sealed, bind(owner, call))
  const content: CallContent | undefined = unsealedContent && parseTrusted(unsealedContent.text)
  return content
}
