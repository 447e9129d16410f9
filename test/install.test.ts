import { readFileSync } from 'node:fs'
import semver from 'semver'
import { expect, it } from 'vitest'

interface Package {
  readonly engines?: { readonly node?: string }
  readonly optional?: boolean
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
/** With these Node versions, npm prints nothing about a package's age, even if `.npmrc` sets nothing. */
const QUIET = '^22.22.2 || ^24.15.0 || >=26'
const packages = Object.entries<Package>(read('package-lock.json').packages)

it('an install prints no EBADENGINE with a current Node', () => {
  const refusing = packages.filter(
    ([, { engines, optional }]) => !optional && engines?.node !== undefined && !semver.subset(QUIET, engines.node),
  )
  expect(packages.length).toBeGreaterThan(100)
  expect(refusing.map(([name, { engines }]) => `${name}: ${engines?.node}`)).toEqual([])
})

it('an older Node can install the package, since the installed Node runs it', () => {
  expect(read('package.json').engines).toEqual({ node: '>=20' })
  expect(packages[0]).toMatchObject(['', { engines: { node: '>=20' } }])
  expect(packages.some(([name]) => name === 'node_modules/node')).toBe(true)
})
