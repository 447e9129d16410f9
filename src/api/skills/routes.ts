import type { Hono } from 'hono'
import type { ChangeRefusal } from '../../core/access/change-refusal.ts'
import { integerStringReader } from '../../core/call/call-options.ts'
import { fail, ok } from '../../core/failure/failure.ts'
import { encodeSkill, MAX_SKILL_VERSION, SKILL_STATES, skillFilesReader, skillName } from '../../core/skill/skill.ts'
import type { EncodedSkill, ReadSkill, SkillFiles, SkillStore } from '../../core/skill/skill.ts'
import { namePart } from '../../core/tool/definition-fields.ts'
import { enumReader, integer, object, optional, string } from '../../core/tool/json-reader.ts'
import { parseTrusted } from '../../core/tool/json-text.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { defineQuery } from '../../http/request/query.ts'
import { json, jsonRef, pageSchema } from '../../http/route/response-specs.ts'
import { createRouter, notFound, PUBLISHER_ROUTE, READER_ROUTE, type RouteDeps } from '../../http/route/router.ts'

interface SkillsRoutesDeps extends RouteDeps {
  readonly skills: () => SkillStore
  readonly readSkill: ReadSkill
}

/** Larger than a skill, because Base64 and JSON escapes add to its size. */
const BODY = { limit: 4 * 1024 * 1024, parts: 5_000 }
const ONE = { path: { toolkit: namePart, name: skillName } } as const
const CHANGE = object({ version: integer(1, MAX_SKILL_VERSION), status: enumReader(['active', 'disabled']) })
const SKILL = jsonRef('The skill', 'Skill')

/** Skills of toolkits. A skill that the caller may not see is reported as not found. */
export function createSkillsRoutes({ skills, readSkill, ...deps }: SkillsRoutesDeps): Hono {
  const { router, on } = createRouter<SkillAnswers>(deps)

  on('GET /skills', 'List skills', {
    ...READER_ROUTE,
    isPrivate: false,
    query: defineQuery({
      toolkit: optional(namePart),
      status: optional(enumReader(SKILL_STATES), 'active'),
      cursor: optional(string({ min: 1, max: 256 })),
    }),
    responses: { 200: json('By name', pageSchema('Skill')) },
  })(async ({ principal, query: { toolkit, status: state, cursor: after } }) => {
    const { items, next } = await skills().listSkills({ toolkit, state, after }, principal)
    return ok({ items: items.map(encodeSkill), ...(next === undefined ? {} : { next_cursor: next }) })
  })

  on('GET /toolkits/:toolkit/skills/:name', 'Get a skill with its files', {
    ...READER_ROUTE,
    ...ONE,
    isPrivate: false,
    query: defineQuery({ version: optional(integerStringReader(1, MAX_SKILL_VERSION)) }),
    responses: { 200: SKILL },
  })(async ({ principal, path, query }) => {
    const skill = await skills().findSkill({ ...path, ...query }, principal)
    if (!skill) return notFound('skill', path.name)
    const files: SkillFiles = parseTrusted(skill.files ?? '{}')
    return ok({ ...encodeSkill(skill), files })
  })

  on('PUT /toolkits/:toolkit/skills/:name', 'Publish a version of a skill', {
    ...PUBLISHER_ROUTE,
    ...ONE,
    auditAction: 'skill.put',
    body: jsonBody(object({ files: skillFilesReader }), { ...BODY, what: 'skill' }),
    responses: { 200: jsonRef('Already the newest version', 'Skill'), 201: SKILL },
  })(async ({ principal, path, body: { files }, addAuditDetails }) => {
    const content = await readSkill(path.name, files)
    if (!content.ok) return fail({ type: 'definition-invalid', what: 'skill', problems: content.problems })
    const publication = await skills().publishSkill(path, content.value, principal)
    if (!publication.ok) return toFailure(publication, path.name)
    addAuditDetails({ version: publication.version, digest: publication.digest })
    return { ...ok(encodeSkill(publication)), status: publication.isNew ? 201 : 200 }
  })

  on('PATCH /toolkits/:toolkit/skills/:name', 'Activate or disable a version of a skill', {
    ...PUBLISHER_ROUTE,
    ...ONE,
    auditAction: 'skill.change',
    body: jsonBody(CHANGE),
  })(async ({ principal, path, body: { version, status }, addAuditDetails }) => {
    addAuditDetails({ version, status })
    const change = await skills().changeSkill({ ...path, version }, status, principal)
    return change.ok ? ok(undefined) : toFailure(change, path.name)
  })

  return router
}

const toFailure = ({ failure }: ChangeRefusal, name: string) =>
  failure.type === 'unknown' ? notFound('skill', name) : fail(failure)

export interface SkillAnswers {
  'GET /skills': { readonly items: readonly EncodedSkill[]; readonly next_cursor?: string }
  'GET /toolkits/:toolkit/skills/:name': EncodedSkill & { readonly files: SkillFiles }
}
