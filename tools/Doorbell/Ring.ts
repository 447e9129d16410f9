import { failed, defineTool } from '#tool'

/** The doorbells in the examples of the OXP documentation. */
const DOORBELLS = ['doorbell42', 'doorbell84']
const CHIMES = ['Ding', 'Dong']
const CHIME_MS = 250

export default defineTool({
  version: '0.1.0',
  isDemo: true,
  description: 'Rings a doorbell given a doorbell ID.',
  input: {
    type: 'object',
    properties: {
      doorbell_id: { type: 'string', description: 'The ID of the doorbell to ring.' },
    },
    required: ['doorbell_id'],
  },
  output: null,
  handler: async ({ doorbell_id }, { log, progress }) => {
    if (!DOORBELLS.includes(doorbell_id)) {
      return failed({
        message: 'Doorbell ID not found',
        developer_message: `The doorbell with ID '${doorbell_id}' does not exist.`,
        can_retry: true,
        additional_prompt_content: `ids: ${DOORBELLS.join(',')}`,
        retry_after_ms: 500,
      })
    }
    for (const [index, chime] of CHIMES.entries()) {
      progress(index + 1, CHIMES.length, chime)
      await new Promise((done) => setTimeout(done, CHIME_MS))
    }
    log('Rang the doorbell')
  },
})
