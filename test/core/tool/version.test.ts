import { describe, expect, it } from 'vitest'
import {
  chooseVersion,
  changeStatus,
  compareVersions,
  isVersionRange,
  guessVersion,
  resolveVersion,
  stricterStatus,
  type ToolStatus,
  withoutPending,
} from '../../../src/core/tool/version.ts'

const STATUS: Readonly<Record<string, ToolStatus>> = {
  '': { state: 'active' },
  'd': { state: 'deprecated', message: 'Old' },
  'y': { state: 'yanked' },
  'x': { state: 'disabled' },
}
/** `1.2.3` is active; a letter after it means deprecated (d), yanked (y) or disabled (x). */
const versionsOf = (...texts: readonly string[]) =>
  texts.map((text) => {
    const [, version = '', letter = ''] = /^([^dyx]+)([dyx]?)$/.exec(text) ?? []
    return { version, status: STATUS[letter] ?? { state: 'active' as const } }
  })
const resolve = (versions: readonly string[], selector?: string) =>
  resolveVersion(versionsOf(...versions), selector)?.version

const status = { state: 'pending' } as const
const waiting = { version: '2.0.0', status }

it('a tool for callers has no pending versions, and does not exist if all are pending', () => {
  const versions = versionsOf('1.0.0', '1.1.0x')
  expect(withoutPending({ isRemovedFromDocument: true, versions: [...versions, waiting] })).toEqual({
    isRemovedFromDocument: true,
    versions,
  })
  expect(withoutPending({ versions: [waiting] })).toBeUndefined()
})

it('a tool for callers is unchanged if no version is pending', () => {
  const document = { versions: versionsOf('1.0.0') }
  expect(withoutPending(document)).toBe(document)
})

it.each([
  ['1.0.0', '1.0.0', 0],
  ['1.0.0', '1.0.1', -1],
  ['1.10.0', '1.9.9', 1],
  ['2.0.0', '10.0.0', -1],
  ['0.0.1', '0.1.0', -1],
])('versions %s and %s are ordered: %i', (a, b, order) => {
  expect(compareVersions(a, b)).toBe(order)
  expect(compareVersions(b, a)).toBe(order === 0 ? 0 : -order)
})

const ALL = ['1.0.0', '1.2.0', '1.10.0d', '2.0.0', '2.1.0y', '3.0.0x', '1.9.0']

it.each<[string, readonly string[], string | undefined, string | undefined]>([
  // No version requested
  ['of nothing asked is the highest active one', ALL, undefined, '2.0.0'],
  ['is compared as numbers', ['1.9.0', '1.10.0'], undefined, '1.10.0'],
  ['is the highest in any order', ['1.10.0', '1.9.0'], undefined, '1.10.0'],
  ['is an active one below a deprecated one', ['1.0.0', '2.0.0d'], undefined, '1.0.0'],
  ['is the highest deprecated one where none is active', ['1.0.0d', '1.1.0d', '2.0.0y', '3.0.0x'], undefined, '1.1.0'],
  ['is none where all are yanked or disabled', ['1.0.0y', '2.0.0x'], undefined, undefined],
  ['is none where there are none', [], undefined, undefined],
  // Exactly
  ['is exactly what is asked', ALL, '1.2.0', '1.2.0'],
  ['may be deprecated', ALL, '1.10.0', '1.10.0'],
  ['may be yanked', ALL, '2.1.0', '2.1.0'],
  ['may be disabled', ALL, '3.0.0', '3.0.0'],
  ['that there is not is none, though others are near', ALL, '1.2.1', undefined],
  // A number alone
  ['of 1 is exactly 1.0.0', ALL, '1', '1.0.0'],
  ['of 2 is exactly 2.0.0', ['2.1.0'], '2', undefined],
  ['of 3 may be disabled', ALL, '3', '3.0.0'],
  ['of a number with nine digits is exact', ['123456789.0.0', '123456789.1.0'], '123456789', '123456789.0.0'],
  ['of 0 is exactly 0.0.0', ['0.0.0', '0.1.0'], '0', '0.0.0'],
  ['of 01 is 1.0.0', ['1.0.0', '1.1.0'], '01', '1.0.0'],
  // latest
  ['that is latest is the highest active one', ALL, 'latest', '2.0.0'],
  ['that is latest is never a deprecated one', ['1.0.0d'], 'latest', undefined],
  // Ranges
  ['of a range is its highest active one', ALL, '^1.0.0', '1.9.0'],
  ['of a range is no deprecated one', ['1.0.0d'], '^1.0.0', undefined],
  ['of a range is no yanked one', ALL, '>=2.1.0', undefined],
  ['of a range is no disabled one', ['3.0.0x'], '3.x', undefined],
  ['of 1.x', ALL, '1.x', '1.9.0'],
  ['of 1.2', ALL, '1.2', '1.2.0'],
  ['of ~1.2.0', ['1.2.0', '1.2.9', '1.3.0'], '~1.2.0', '1.2.9'],
  ['of two ranges', ALL, '<1.2.0 || >=2.0.0', '2.0.0'],
  ['of bounds', ALL, '>=1.0.0 <1.9.0', '1.2.0'],
  ['of any', ALL, '*', '2.0.0'],
  ['of an empty range', ALL, '', '2.0.0'],
  ['of a range that nothing matches', ALL, '^4.0.0', undefined],
  // Pre-releases and builds
  ['of nothing asked is a release before a later pre-release', ['1.0.0', '2.0.0-rc.1'], undefined, '1.0.0'],
  ['of nothing asked is a pre-release where there is no other', ['1.0.0-b.2', '1.0.0-b.10'], undefined, '1.0.0-b.10'],
  ['of latest is a release before a later pre-release', ['1.0.0', '2.0.0-rc.1'], 'latest', '1.0.0'],
  ['of a range is no pre-release', ['1.0.0', '1.1.0-rc.1'], '^1.0.0', '1.0.0'],
  ['of a range that names one may be it', ['1.0.0', '1.1.0-rc.2'], '^1.1.0-rc.1', '1.1.0-rc.2'],
  ['that is a pre-release is exactly that', ['1.0.0', '1.1.0-rc.1'], '1.1.0-rc.1', '1.1.0-rc.1'],
  ['with a build is exactly that', ['1.0.0+a', '1.0.0+b'], '1.0.0+a', '1.0.0+a'],
  ['without a build is not one with', ['1.0.0+a'], '1.0.0', undefined],
  ['of a range may have a build', ['1.0.0+a', '1.0.0+b'], '^1.0.0', '1.0.0+b'],
  // Neither
  ['of no selector', ALL, 'newest', undefined],
  ['of a word like latest', ALL, 'LATEST', undefined],
  ['of 1.0.0 with something behind it', ALL, '1.0.0 please', undefined],
])('a version %s', (_, versions, selector, wanted) => {
  expect(resolve(versions, selector)).toBe(wanted)
})

it('a resolved version is returned with all of its fields', () => {
  const entry = { version: '1.0.0', status: { state: 'active' as const }, digest: 'd1' }
  expect(resolveVersion([entry])).toBe(entry)
  expect(resolveVersion([entry], '1')).toBe(entry)
})

it('a resolved version is the first of two equal ones', () => {
  const [one, other] = [versionsOf('1.0.0')[0], versionsOf('1.0.0')[0]]
  expect(resolveVersion([one!, other!])).toBe(one)
})

describe('a tool that its document left out', () => {
  const versions = versionsOf('1.0.0', '1.1.0')

  it.each([
    [undefined, undefined],
    ['latest', undefined],
    ['1.0.0', '1.0.0'],
    ['^1.0.0', '1.1.0'],
  ])('a tool that its document left out resolves %j to %j', (selector, wanted) => {
    expect(chooseVersion({ versions, isRemovedFromDocument: true }, selector)?.version).toBe(wanted)
    expect(chooseVersion({ versions }, selector)?.version).toBe(wanted ?? '1.1.0')
  })
})

it.each([
  ['v1', '1.0.0'],
  ['1.2', '1.2.0'],
  ['v1.2.3', '1.2.3'],
  ['01.2.3', '1.2.3'],
  ['2024-05-01', '2024.5.1'],
  ['release', '1.0.0'],
  ['', '1.0.0'],
])('the version suggested for %j is %s', (text, version) => {
  expect(guessVersion(text)).toBe(version)
})

it.each(['1.2.3', 'latest', '1', '^1.2.3', '1.x', '*', '', '>=1 <2', '1 || 2', '1234567890'])(
  'a version range may be %j',
  (selector) => {
    expect(isVersionRange(selector)).toBe(true)
  },
)

it.each(['newest', 'LATEST', '1.2.3.4', 'x.y.z', '1.0.0 please', '@1'])('a version range may not be %j', (selector) => {
  expect(isVersionRange(selector)).toBe(false)
})

it('the stricter status of a version and its toolkit applies, and the version’s own if both are equal', () => {
  const states = ['active', 'deprecated', 'yanked', 'disabled'] as const
  for (const [index, own] of states.entries()) {
    for (const [other, toolkit] of states.entries()) {
      expect(stricterStatus({ state: own }, { state: toolkit }).state).toBe(states[Math.max(index, other)])
    }
  }
  const own = { state: 'deprecated', message: 'own' } as const
  expect(stricterStatus(own, { state: 'deprecated', message: 'its toolkit’s' })).toBe(own)
})

describe('a changed status', () => {
  const yanked: ToolStatus = { state: 'yanked', message: 'Loses mail' }
  const off: ToolStatus = { state: 'disabled', message: 'INC-7' }
  const both: ToolStatus = { ...off, yanked: { message: 'Loses mail' } }
  const active: ToolStatus = { state: 'active' }

  it.each([
    ['disabled, stays yanked', yanked, off, false, both],
    ['disabled twice, stays yanked', both, { state: 'disabled' }, true, { state: 'disabled', yanked: both.yanked }],
    ['enabled, is yanked again', both, active, true, yanked],
    ['enabled in a disabled toolkit, stays yanked', yanked, active, true, yanked],
    ['yanked alone, is active', yanked, active, false, active],
    ['never yanked, is active', off, active, true, active],
    ['yanked for another reason, has that', both, { state: 'yanked' }, true, { state: 'yanked' }],
  ] as const)('of a version that is %s', (_, current, change, isDisabled, status) => {
    expect(changeStatus(current, change, isDisabled)).toEqual(status)
  })
})
