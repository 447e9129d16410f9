import { getText, listObjects } from '../../client/json.ts'
import { collectOption, readObject, parseIntegerOption, requireFields } from '../argument-values.ts'
import type { AddCommands } from '../context.ts'
import type { Columns } from '../table.ts'
import { addGroup } from './listings.ts'
import { addRemoval } from './removal.ts'
import { putChange } from './revision.ts'

const COLUMNS: Columns = {
  Tools: 'pattern',
  Rules: (policy) => ({ ...policy, pattern: undefined, warnings: undefined }),
}

export const addPolicies: AddCommands = (program, open) => {
  const description = 'rules for the tools that patterns cover, for administrators'
  const policies = addGroup(program, open, { name: 'policies', description, path: '/policies', columns: COLUMNS })
  policies
    .command('set')
    .description('add rules to a policy, or change them; its other rules stay')
    .argument('<pattern>', "the tools, such as Gmail.*, '*' or Gmail.Send")
    .option('--security-level <level>', 'minimum security level, from 1 to 10', parseIntegerOption)
    .option('--approval', 'a person approves each call')
    .option('--timeout <seconds>', 'timeout of a call', parseIntegerOption)
    .option('--limits <json>', 'such as {"rate": {"calls": 60, "seconds": 60}, "concurrency": 4}')
    .option('--secret <name>', 'a secret that the tools can use; can be repeated', collectOption)
    .option('--review', 'versions that are not published by an administrator wait for review')
    .action(async (pattern, options) => {
      const { securityLevel: security_level, approval, timeout, limits, secret: secrets, review } = options
      const rules = requireFields({
        security_level,
        approval,
        timeout_ms: timeout === undefined ? undefined : timeout * 1_000,
        limits: limits === undefined ? undefined : readObject(limits, '--limits'),
        secrets,
        review,
      })
      // This command's --timeout sets the policy's timeout
      const session = open({ ...options, timeout: undefined })
      const { terminal } = session
      const updatedPolicy = await putChange(session, `/policies/${encodeURIComponent(pattern)}`, {
        ...rules,
        pattern: undefined,
      })
      terminal.emit(updatedPolicy, () => {
        terminal.table(COLUMNS)([updatedPolicy])
        for (const warning of listObjects(updatedPolicy, 'warnings'))
          terminal.note(['yellow', getText(warning, 'message') ?? ''])
      })
    })
  const removal = { verb: 'remove', argument: 'pattern', description: 'remove a policy', columns: COLUMNS } as const
  addRemoval(policies, open, '/policies', removal)
}
