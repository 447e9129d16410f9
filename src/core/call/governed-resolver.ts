import { governed, type Policies, type ToolRule, NO_RULE } from '../access/policy.ts'
import type { Failing } from '../failure/failure.ts'
import type { CallableTool, Resolved, Resolver } from './resolve.ts'

/** A resolver whose tools are as policies have them: their level, whether they need approval, and how long they may take. */
export function governResolver(resolver: Resolver, policies: Policies): Resolver {
  /** What an answer became, which is given again and again. */
  const made = new WeakMap<Resolved, { readonly rule: ToolRule; readonly answer: Resolved }>()

  function govern(answer: Resolved | Failing): Resolved | Failing {
    if (!answer.ok) return answer
    const { tool } = answer
    const rule = policies.now().ruleOf(tool.record)
    if (rule === NO_RULE) return answer
    const before = made.get(answer)
    if (before?.rule === rule) return before.answer
    const record = governed(tool.record, rule)
    const ruled = { ...answer, tool: { ...tool, record, runnable: inTime(tool.runnable, rule) } }
    made.set(answer, { rule, answer: ruled })
    return ruled
  }

  return {
    resolve(asked, background) {
      const answer = resolver.resolve(asked, background)
      return answer instanceof Promise ? answer.then(govern) : govern(answer)
    },
    forget: () => resolver.forget(),
  }
}

function inTime(runnable: CallableTool['runnable'], { timeoutMs }: ToolRule): CallableTool['runnable'] {
  if (!runnable.ok || timeoutMs === undefined || timeoutMs >= runnable.timeoutMs) return runnable
  return { ...runnable, timeoutMs }
}
