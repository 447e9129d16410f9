import { loadPatternEngine } from '../../../src/core/schema/pattern-matcher.ts'
import { describe, expect, test } from 'vitest'
import { createCompiledValidator } from '../../../src/core/schema/validator.ts'
import { interpretSchema } from '../../../src/core/schema/validator.ts'
import type { JsonSchema } from '../../../src/core/tool/tool.ts'
import type { Validate } from '../../../src/core/schema/validator.ts'
import { listShared, readShared, unlessShared } from '../../shared.ts'
import { importCompiled } from './import-compiled.ts'
import { COMPILED, INTERPRETED, type KnownMiss } from './json-schema-known-misses.ts'
import { OWN_CASES, type Group } from './json-schema-own-cases.ts'

await loadPatternEngine({ pattern: '' })

const SUITE = 'specs/json-schema-test-suite/draft2020-12'
const files = listShared(SUITE).filter((name) => name.endsWith('.json'))

/** Creates a validator for each schema, or undefined if it cannot be compiled. */
type Engine = (schemas: readonly JsonSchema[]) => Promise<readonly (Validate | undefined)[]>

const interpreted: Engine = async (schemas) => schemas.map((schema) => interpretSchema(schema))

const compiled: Engine = async (schemas) => {
  const together = await compile(schemas).catch(() => undefined)
  if (together) return together
  const alone = schemas.map((schema) =>
    compile([schema]).then(
      ([validate]) => validate,
      () => undefined,
    ),
  )
  return Promise.all(alone)
}

async function compile(schemas: readonly JsonSchema[]): Promise<readonly (Validate | undefined)[]> {
  const compiledSchemas = await importCompiled(
    Object.fromEntries(schemas.map((schema, index) => [`s${index}`, schema])),
  )
  return schemas.map((schema, index) => {
    const one = compiledSchemas[`s${index}`]
    return one && createCompiledValidator(one, schema)
  })
}

const engines = [
  ['interpreted', interpreted, INTERPRETED],
  ['compiled', compiled, COMPILED],
] as const

async function misses(engine: Engine, groups: readonly Group[]): Promise<string[]> {
  const validators = await engine(groups.map(({ schema }) => schema))
  return groups.flatMap((group, index) =>
    group.tests
      .filter(({ data, valid }) => (validators[index]?.(data).length === 0) !== valid || !validators[index])
      .map((each) => `${group.description}: ${each.description}`),
  )
}

/** Lists the known failures in a file; a miss without a test means the whole group. */
function knownIn(list: readonly KnownMiss[], file: string, groups: readonly Group[]): string[] {
  return list
    .filter((each) => each.file === file)
    .flatMap(({ description, test: one }) => {
      const group = groups.find((each) => each.description === description)
      const tests = one === undefined ? (group?.tests.map((each) => each.description) ?? ['(no such group)']) : [one]
      return tests.map((each) => `${description}: ${each}`)
    })
}

describe.each(engines)('%s schemas', (name, engine, known) => {
  test(`${name} schemas: our own cases of each keyword`, async () => {
    expect(await misses(engine, OWN_CASES)).toEqual([])
  })

  // The JSON Schema test suite is not part of this repository; it is read if it is next to the clone.
  describe.skipIf(files.length === 0)(`the JSON Schema test suite${unlessShared(SUITE)}`, () => {
    test.each(files)(`${name} schemas: the JSON Schema test suite %s`, async (file) => {
      const groups: Group[] = JSON.parse(readShared(`${SUITE}/${file}`))
      const failed = await misses(engine, groups)
      const expected = knownIn(known, file, groups)
      expect(failed.filter((each) => !expected.includes(each))).toEqual([])
      expect(
        expected.filter((each) => !failed.includes(each)),
        'known misses that pass by now',
      ).toEqual([])
    })

    test(`${name} schemas: the JSON Schema test suite known misses name files of the suite`, () => {
      expect(known.filter(({ file }) => !files.includes(file))).toEqual([])
    })
  })
})
