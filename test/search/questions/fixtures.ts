import { readQuestions, type Question } from './question.ts'

/** Over the tools of `test/fixtures/tools`, for a working copy that stands alone. */
export const FIXTURE_QUESTIONS: readonly Question[] = readQuestions(`
add two numbers | Calculator.Add Arithmetic.add
the sum of numbers | Calculator.Add Arithmetic.add
subtract one number from another | Calculator.Subtract Arithmetic.subtract
calculator | Calculator.Add Calculator.Subtract
send a text message to a phone | SMS.Send
send an sms | SMS.Send
read my mail | Gmail.GetEmails
show me my emails | Gmail.GetEmails
what is the current time | System.GetTimestamp
ring the doorbell | Doorbell.Ring
answer with a picture | Fixture.ImageContent
report the progress | Fixture.Progress
`)
