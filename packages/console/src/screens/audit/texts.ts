import { texts } from '../../texts/texts.ts'

export const auditTexts = texts(
  {
    audit: 'Audit log',
    actor: 'Actor',
    subject: 'Subject',
    action: 'Action',
    from: 'From',
    to: 'To',
    time: 'Time',
    change: 'Change',
    reason: 'Reason',
    values: 'Before and after',
    nothing: 'No matching changes',
    nothingHint: 'Example actor: key:9f86d081884c. Example subject: room:demo-room.',
  },
  {
    audit: '审计日志',
    actor: '操作者',
    subject: '对象',
    action: '操作',
    from: '从',
    to: '到',
    time: '时间',
    change: '变更',
    reason: '原因',
    values: '变更前后',
    nothing: '没有匹配的变更',
    nothingHint: '操作者如 key:9f86d081884c，对象如 room:demo-room。',
  },
)
