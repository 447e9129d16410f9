import { tracing } from 'cloudflare:workers'
import type { Span } from '../core/tool/platform.ts'

/** Spans of Cloudflare's own traces, under the request's; one ends when what its work gives is settled. */
export const span: Span = (name, attributes, work) =>
  tracing.enterSpan(name, (entered) => {
    entered.setAttributes(attributes)
    return work()
  })
