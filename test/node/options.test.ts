import { expect, it } from 'vitest'
import { HELP, readOptions } from '../../src/node/options.ts'

it('help names every option', () => {
  for (const name of Object.keys(readOptions([]))) {
    if (!['help', 'inspectorPort', 'variables'].includes(name)) expect(HELP).toContain(` --${name} `)
  }
  expect(readOptions(['--help']).help).toBe(true)
})
