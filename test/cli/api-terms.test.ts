import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { toCliTerms } from '../../src/cli/api-terms.ts'

it.each([
  ['disable it with PATCH /toolkits/Kit and {"status": "disabled"}', 'disable it with switchboard disable Kit'],
  ['PATCH /tools/{id} {"status": "active"}, or more', 'switchboard enable {id}, or more'],
  ['GET /tools?toolkit=Kit&status=disabled lists', 'switchboard list --toolkit Kit --status disabled lists'],
  ['GET /tools?toolkit=A&versions=all lists', 'switchboard list --toolkit A --all-versions lists'],
  ['(PUT /toolkits/Kit)', '(switchboard toolkits set Kit)'],
  ['send it first, with PUT /locks', 'send it first, with switchboard lock --push'],
  ['create keys with POST /keys', 'create keys with switchboard keys create'],
  ['PATCH /tools/A.B@1.0.0 {"trusted": true}', 'PATCH /tools/A.B@1.0.0 {"trusted": true}'],
  ['DELETE /artifacts/{id} removes one', 'DELETE /artifacts/{id} removes one'],
  ['(publish with ?allow=breaking to override)', '(publish with --allow-breaking to override)'],
  ['with ?toolkit= and ?version=, or', 'with --toolkit and --version, or'],
  ['open https://a.test/start?proof=abc', 'open https://a.test/start?proof=abc'],
  ["or 'allowHttp' for a network", 'or --allow-http for a network'],
  ['/by: Must be one or several of principal, tool', '/by: Must be one or several of caller, tool'],
])('%s is %s on the command line', (message, words) => {
  expect(toCliTerms(message)).toBe(words)
})

/** Terms of features that the command line lacks, or of responses for other programs. */
const WITHOUT_COMMAND = [/ \/(?:artifacts|worker|locks\/|\$)/, /"trusted"|To trust/]

it('no message of the deployment tells command-line users to send a request that a command sends', () => {
  const folder = join(import.meta.dirname, '../../src')
  const files = ['core', 'storage', 'api', 'http', 'runners', 'importers'].flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, name, file)),
  )
  const lines = files.filter((file) => file.endsWith('.ts')).flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  const texts = lines.filter(
    (line) => /[\w,:(] ?\b(?:GET|POST|PUT|PATCH|DELETE) \//.test(line) && !/^\s*(?:\/?\*|\/\/)/.test(line),
  )
  const messages = texts.filter((line) => !WITHOUT_COMMAND.some((pattern) => pattern.test(line)))
  expect(messages.length).toBeGreaterThan(8)
  for (const message of messages)
    expect(toCliTerms(message.replaceAll(/\$\{[^}]*\}+/g, 'x'))).not.toMatch(/\b(?:GET|POST|PUT|PATCH|DELETE) \//)
})
