import { expect, it } from 'vitest'
import { applyGuards, guardFields, extractGuard } from '../../../src/core/access/guard.ts'
import { parseValue, object } from '../../../src/core/tool/json-reader.ts'
import { NO_REQUIREMENTS } from '../../../src/core/tool/tool.ts'

const PLAIN = { requirements: NO_REQUIREMENTS }
const SECRET = { requirements: { ...NO_REQUIREMENTS, secrets: [{ id: 'KEY' }] } }

it.each([
  ['nothing', PLAIN, [], PLAIN],
  ['nothing that is said', PLAIN, [{}], PLAIN],
  ['a level', PLAIN, [{ security_level: 5 }], { ...PLAIN, securityLevel: 5 }],
  ['the highest of all', PLAIN, [{ security_level: 5 }, { security_level: 7 }], { ...PLAIN, securityLevel: 7 }],
  ['a level above that of its requirements', SECRET, [{ security_level: 5 }], { ...SECRET, securityLevel: 5 }],
  ['an approval', PLAIN, [{ approval: true }], { ...PLAIN, securityLevel: 1, requiresApproval: true }],
  ['an approval of what has a level', SECRET, [{ approval: true }], { ...SECRET, requiresApproval: true }],
  [
    'a level, and of another an approval',
    PLAIN,
    [{ security_level: 2 }, { approval: true }],
    {
      ...PLAIN,
      securityLevel: 2,
      requiresApproval: true,
    },
  ],
] as const)('a guard adds %s', (_, definition, guards, wanted) =>
  expect(applyGuards(definition, guards)).toEqual(wanted),
)

it.each([
  ['the level that it says', { ...PLAIN, securityLevel: 8 }],
  ['the level that its requirements make', SECRET],
  ['its approval', { ...PLAIN, securityLevel: 8, requiresApproval: true }],
] as const)('a guard never removes from a definition %s', (_, definition) => {
  expect(applyGuards(definition, [{ security_level: 3 }])).toEqual(definition)
  expect(applyGuards(definition, [{}])).toEqual(definition)
})

it("a guard is what a version requires beyond its definition's requirements", () => {
  expect(extractGuard(PLAIN)).toBeUndefined()
  expect(extractGuard({ ...SECRET, securityLevel: 4 })).toBeUndefined()
  // As a publisher may say it of a tool that asks for a secret
  expect(extractGuard({ ...SECRET, securityLevel: 0 })).toBeUndefined()
  expect(extractGuard({ ...SECRET, securityLevel: 5 })).toEqual({ security_level: 5 })
  expect(extractGuard({ ...SECRET, securityLevel: 4, requiresApproval: true })).toEqual({ approval: true })
  const all = { ...PLAIN, securityLevel: 3, requiresApproval: true } as const
  expect(applyGuards(PLAIN, [extractGuard(all) ?? {}])).toEqual(all)
})

it.each([
  [{ security_level: 0 }, '/security_level'],
  [{ security_level: 11 }, '/security_level'],
  [{ security_level: 1.5 }, '/security_level'],
  [{ security_level: '5' }, '/security_level'],
  [{ security_level: null }, '/security_level'],
  [{ approval: false }, '/approval'],
  [{ approval: 'true' }, '/approval'],
  [{ approval: null }, '/approval'],
])('a guard may not be %j', (said, path) => {
  const read = parseValue(object(guardFields), said)
  expect(!read.ok && read.problems.map((each) => each.path)).toEqual([path])
})
