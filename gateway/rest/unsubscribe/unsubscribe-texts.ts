/** A page of an unsubscribe link: what it says, with `{name}` for the workspace, and instead of it if its name is not known. */
export interface PageText {
  title: string;
  text: string;
  withoutName?: string;
}

interface Texts {
  question: PageText;
  done: PageText;
  restored: PageText;
  late: PageText;
  unknown: PageText;
  failed: PageText;
  notRestored: PageText;
  unsubscribe: string;
  undo: string;
}

/** The name of a page. */
export type PageName = Exclude<keyof Texts, 'unsubscribe' | 'undo'>;

/** The texts of all pages by language. */
export const texts = {
  en: {
    question: {
      title: 'Unsubscribe',
      text: 'Do you want to stop receiving emails from {name}?',
      withoutName: 'Do you want to stop receiving these emails?',
    },
    done: {
      title: 'You are unsubscribed',
      text: 'You will not receive these emails from {name} any more. You can close this page.',
      withoutName: 'You will not receive these emails any more. You can close this page.',
    },
    restored: {
      title: 'You are subscribed again',
      text: 'You will receive the emails from {name} as before.',
      withoutName: 'You will receive these emails as before.',
    },
    late: {
      title: 'This can no longer be undone',
      text: 'You are unsubscribed. Ask the sender if you want to receive the emails again.',
    },
    unknown: {
      title: 'This link is not valid',
      text: 'It may be incomplete, or your address may have been deleted already. Open the link in the email again.',
    },
    failed: {
      title: 'You are not unsubscribed yet',
      text: 'The request could not be completed. Open the link in the email again in a minute.',
    },
    notRestored: {
      title: 'You are not subscribed again yet',
      text: 'The request could not be completed. Go back and try again in a minute.',
    },
    unsubscribe: 'Unsubscribe',
    undo: 'Undo',
  },
  de: {
    question: {
      title: 'Abmelden',
      text: 'Möchten Sie keine E-Mails von {name} mehr erhalten?',
      withoutName: 'Möchten Sie diese E-Mails nicht mehr erhalten?',
    },
    done: {
      title: 'Sie sind abgemeldet',
      text: 'Sie erhalten diese E-Mails von {name} nicht mehr. Sie können diese Seite schließen.',
      withoutName: 'Sie erhalten diese E-Mails nicht mehr. Sie können diese Seite schließen.',
    },
    restored: {
      title: 'Sie sind wieder angemeldet',
      text: 'Sie erhalten die E-Mails von {name} wie bisher.',
      withoutName: 'Sie erhalten diese E-Mails wie bisher.',
    },
    late: {
      title: 'Das lässt sich nicht mehr rückgängig machen',
      text: 'Sie sind abgemeldet. Wenden Sie sich an den Absender, wenn Sie die E-Mails wieder erhalten möchten.',
    },
    unknown: {
      title: 'Dieser Link ist ungültig',
      text: 'Er ist vielleicht unvollständig, oder Ihre Adresse wurde bereits gelöscht. Öffnen Sie den Link in der E-Mail noch einmal.',
    },
    failed: {
      title: 'Sie sind noch nicht abgemeldet',
      text: 'Die Anfrage konnte nicht ausgeführt werden. Öffnen Sie den Link in der E-Mail in einer Minute noch einmal.',
    },
    notRestored: {
      title: 'Sie sind noch nicht wieder angemeldet',
      text: 'Die Anfrage konnte nicht ausgeführt werden. Gehen Sie zurück, und versuchen Sie es in einer Minute noch einmal.',
    },
    unsubscribe: 'Abmelden',
    undo: 'Rückgängig machen',
  },
  fr: {
    question: {
      title: 'Se désabonner',
      text: 'Souhaitez-vous ne plus recevoir d’e-mails de {name} ?',
      withoutName: 'Souhaitez-vous ne plus recevoir ces e-mails ?',
    },
    done: {
      title: 'Vous êtes désabonné',
      text: 'Vous ne recevrez plus ces e-mails de {name}. Vous pouvez fermer cette page.',
      withoutName: 'Vous ne recevrez plus ces e-mails. Vous pouvez fermer cette page.',
    },
    restored: {
      title: 'Vous êtes de nouveau abonné',
      text: 'Vous recevrez les e-mails de {name} comme avant.',
      withoutName: 'Vous recevrez ces e-mails comme avant.',
    },
    late: {
      title: 'Il n’est plus possible d’annuler',
      text: 'Vous êtes désabonné. Adressez-vous à l’expéditeur si vous souhaitez recevoir de nouveau les e-mails.',
    },
    unknown: {
      title: 'Ce lien n’est pas valide',
      text: 'Il est peut-être incomplet, ou votre adresse a déjà été supprimée. Ouvrez de nouveau le lien dans l’e-mail.',
    },
    failed: {
      title: 'Vous n’êtes pas encore désabonné',
      text: 'La demande n’a pas pu aboutir. Ouvrez de nouveau le lien dans l’e-mail dans une minute.',
    },
    notRestored: {
      title: 'Vous n’êtes pas encore réabonné',
      text: 'La demande n’a pas pu aboutir. Revenez en arrière et réessayez dans une minute.',
    },
    unsubscribe: 'Se désabonner',
    undo: 'Annuler',
  },
  es: {
    question: {
      title: 'Cancelar la suscripción',
      text: '¿Quiere dejar de recibir correos de {name}?',
      withoutName: '¿Quiere dejar de recibir estos correos?',
    },
    done: {
      title: 'Su suscripción está cancelada',
      text: 'Ya no recibirá estos correos de {name}. Puede cerrar esta página.',
      withoutName: 'Ya no recibirá estos correos. Puede cerrar esta página.',
    },
    restored: {
      title: 'Vuelve a estar suscrito',
      text: 'Recibirá los correos de {name} como antes.',
      withoutName: 'Recibirá estos correos como antes.',
    },
    late: {
      title: 'Ya no se puede deshacer',
      text: 'Su suscripción está cancelada. Diríjase al remitente si quiere volver a recibir los correos.',
    },
    unknown: {
      title: 'Este enlace no es válido',
      text: 'Puede estar incompleto, o su dirección ya se ha eliminado. Abra de nuevo el enlace del correo.',
    },
    failed: {
      title: 'Su suscripción aún no está cancelada',
      text: 'No se pudo completar la solicitud. Abra de nuevo el enlace del correo dentro de un minuto.',
    },
    notRestored: {
      title: 'Aún no vuelve a estar suscrito',
      text: 'No se pudo completar la solicitud. Vuelva atrás e inténtelo de nuevo dentro de un minuto.',
    },
    unsubscribe: 'Cancelar la suscripción',
    undo: 'Deshacer',
  },
  pt: {
    question: {
      title: 'Cancelar a subscrição',
      text: 'Quer deixar de receber e-mails de {name}?',
      withoutName: 'Quer deixar de receber estes e-mails?',
    },
    done: {
      title: 'A subscrição foi cancelada',
      text: 'Não receberá mais estes e-mails de {name}. Pode fechar esta página.',
      withoutName: 'Não receberá mais estes e-mails. Pode fechar esta página.',
    },
    restored: {
      title: 'A subscrição está ativa de novo',
      text: 'Receberá os e-mails de {name} como antes.',
      withoutName: 'Receberá estes e-mails como antes.',
    },
    late: {
      title: 'Já não é possível anular',
      text: 'A subscrição foi cancelada. Contacte o remetente se quiser voltar a receber os e-mails.',
    },
    unknown: {
      title: 'Este link não é válido',
      text: 'Pode estar incompleto, ou o seu endereço já foi eliminado. Abra de novo o link do e-mail.',
    },
    failed: {
      title: 'A subscrição ainda não foi cancelada',
      text: 'Não foi possível concluir o pedido. Abra de novo o link do e-mail dentro de um minuto.',
    },
    notRestored: {
      title: 'A subscrição ainda não está ativa de novo',
      text: 'Não foi possível concluir o pedido. Volte atrás e tente de novo dentro de um minuto.',
    },
    unsubscribe: 'Cancelar a subscrição',
    undo: 'Anular',
  },
  ja: {
    question: {
      title: '配信停止',
      text: '{name} からのメールの配信を停止しますか?',
      withoutName: 'このメールの配信を停止しますか?',
    },
    done: {
      title: '配信を停止しました',
      text: '{name} からこのメールが届くことはもうありません。このページを閉じてかまいません。',
      withoutName: 'このメールが届くことはもうありません。このページを閉じてかまいません。',
    },
    restored: {
      title: '配信を再開しました',
      text: '{name} からのメールがこれまでどおり届きます。',
      withoutName: 'このメールがこれまでどおり届きます。',
    },
    late: {
      title: '元に戻せる時間を過ぎました',
      text: '配信は停止されています。再びメールを受け取りたい場合は、送信者にお問い合わせください。',
    },
    unknown: {
      title: 'このリンクは無効です',
      text: 'リンクが不完全であるか、アドレスがすでに削除されている可能性があります。メールのリンクをもう一度開いてください。',
    },
    failed: {
      title: '配信はまだ停止されていません',
      text: 'リクエストを完了できませんでした。1分後にメールのリンクをもう一度開いてください。',
    },
    notRestored: {
      title: '配信はまだ再開されていません',
      text: 'リクエストを完了できませんでした。前のページに戻り、1分後にもう一度お試しください。',
    },
    unsubscribe: '配信を停止する',
    undo: '元に戻す',
  },
} satisfies Record<string, Texts> as Record<string, Texts>;

/** The language of `Accept-Language` (RFC 9110, 12.5.4) that has texts and is preferred most. English if there is none. */
export function languageOf(header = ''): string {
  const ranges = header.slice(0, 1000).split(',');
  const wanted = ranges.map((range) => {
    const [tag = '', ...parameters] = range
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    const quality = parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1';
    return { language: tag.split('-')[0]!, quality: Number(quality) || 0 };
  });
  const [best] = wanted
    .filter(({ language, quality }) => quality > 0 && Object.hasOwn(texts, language))
    .toSorted((a, b) => b.quality - a.quality);
  return best?.language ?? 'en';
}
