import { question, type Question } from './question.ts'

/** Over the tools of `test/fixtures/tools`, for a working copy that stands alone. */
export const FIXTURE_QUESTIONS: readonly Question[] = [
  question('add two numbers', 'Calculator.Add', 'Arithmetic.add'),
  question('the sum of numbers', 'Calculator.Add', 'Arithmetic.add'),
  question('subtract one number from another', 'Calculator.Subtract', 'Arithmetic.subtract'),
  question('calculator', 'Calculator.Add', 'Calculator.Subtract'),
  question('send a text message to a phone', 'SMS.Send'),
  question('send an sms', 'SMS.Send'),
  question('read my mail', 'Gmail.GetEmails'),
  question('show me my emails', 'Gmail.GetEmails'),
  question('what is the current time', 'System.GetTimestamp'),
  question('ring the doorbell', 'Doorbell.Ring'),
  question('answer with a picture', 'Fixture.ImageContent'),
  question('report the progress', 'Fixture.Progress'),
]
