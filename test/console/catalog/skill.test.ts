import { expect, it } from 'vitest'
import { setUp } from '../set-up.ts'

const SKILL = {
  toolkit: 'Mail',
  name: 'write-mail',
  version: 2,
  status: 'active',
  digest: 'sha256:1',
  frontmatter: { name: 'write-mail', description: 'How to write a mail' },
  resources: [
    { path: 'SKILL.md', digest: 'sha256:2', size: 60 },
    { path: 'assets/<b>.txt', digest: 'sha256:3', size: 7 },
  ],
  files: { 'SKILL.md': '---\r\nname: write-mail\r\n---\r\n\nBe **brief**, <script>alert(1)</script>.' },
}
const world = () =>
  setUp({
    'GET /tools': () => ({
      items: [{ id: 'Mail.Send@1.0.0', name: 'Mail_Send', description: 'Sends', version: '1.0.0' }],
    }),
    'GET /toolkits': () => ({ items: [{ toolkit: 'Mail', tools: 1, security_level: 0 }] }),
    'GET /skills': () => ({ items: [SKILL] }),
    'GET /toolkits/Mail/skills/write-mail': () => SKILL,
  })

it('a toolkit’s page links to its skills, and each has a page with its text and files', async () => {
  const toolkit = await (await world().get('/?toolkit=Mail')).text()
  expect(toolkit).toContain('<a class="chip" href="/console/skills/Mail/write-mail">write-mail</a>')
  const text = await (await world().get('/console/skills/Mail/write-mail')).text()
  expect(text).toContain('<p>How to write a mail</p>')
  expect(text).not.toContain('---')
  expect(text).toContain('Be <strong>brief</strong>, &lt;script&gt;')
  expect(text).toContain('assets/&lt;b&gt;.txt')
  expect(text).toContain('Version 2')
})

it('a missing or hidden skill is not found', async () => {
  expect((await world().get('/console/skills/Mail/none')).status).toBe(404)
})
