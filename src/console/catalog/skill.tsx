import type { ApiAnswers } from '../../api/answers.ts'
import { FRONTMATTER, MANIFEST_FILE } from '../../core/skill/skill.ts'
import { Markdown } from '../markdown.tsx'
import type { PageContext, Reply, View } from '../page-context.ts'
import { paginate } from '../pagination.ts'
import { CATALOG_LINK, Chips, toFailureView } from '../parts.tsx'
import { type Column, Table } from '../table.tsx'
import { buildTrail } from '../tool/definition.tsx'

type Skills = ApiAnswers['GET /skills']

const COLUMNS: readonly Column<Skills['items'][number]['resources'][number]>[] = [
  { title: 'File', cell: ({ path }) => <code>{path}</code> },
  { title: 'Bytes', cell: ({ size }) => size },
]

/** Shows a skill's instructions and files. */
export async function show(context: PageContext): Promise<View> {
  const { toolkit = '', name = '' } = context.params
  const reply = await context.fetchRoute('GET /toolkits/:toolkit/skills/:name', { toolkit, name })
  if (!reply.ok) return toFailureView('Skill', reply, CATALOG_LINK)
  const { version, files, resources, frontmatter } = reply.value
  const content = (
    <>
      <p>{String(frontmatter['description'])}</p>
      <p class="note">Version {version}</p>
      <Markdown text={String(files[MANIFEST_FILE]).replace(FRONTMATTER, '')} />
      <Table label="Files" columns={COLUMNS} {...paginate(context, resources, 50)} />
    </>
  )
  return { title: name, trail: buildTrail(toolkit), content }
}

/** Links to the first skills of a toolkit. */
export function SkillLinks({ reply }: { reply: Reply<Skills> | undefined }) {
  if (!reply?.ok || reply.value.items.length === 0) return undefined
  const chips = reply.value.items.map(({ toolkit, name: text }) => ({
    text,
    href: `/console/skills/${toolkit}/${text}`,
  }))
  return (
    <>
      <p class="note">Skills</p>
      <Chips label="Skills" chips={chips} />
    </>
  )
}
