import { readFileSync } from 'node:fs'
import semver from 'semver'
import { expect, it } from 'vitest'

interface Package {
  readonly engines?: { readonly node?: string }
  readonly optional?: boolean
}

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'))
const wanted: string = read('package.json').engines.node
const packages = Object.entries<Package>(read('package-lock.json').packages)

it('an install prints no EBADENGINE with any Node that package.json takes', () => {
  const refusing = packages.filter(
    ([, { engines, optional }]) => !optional && engines?.node !== undefined && !semver.subset(wanted, engines.node),
  )
  expect(packages.length).toBeGreaterThan(100)
  expect(refusing.map(([name, { engines }]) => `${name}: ${engines?.node}`)).toEqual([])
})

it('the lock says the same of it', () => {
  expect(packages[0]).toMatchObject(['', { engines: { node: wanted } }])
})
