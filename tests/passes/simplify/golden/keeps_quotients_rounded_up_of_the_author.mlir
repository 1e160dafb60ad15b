!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
!bool = !asc.scalar<"bool">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %four = "py.constant"() {value = "4", at = "2:4"} : () -> !int
  %back = "py.constant"() {value = "-4", at = "3:4"} : () -> !int
  %core = "asc.get_block_idx"() {form = "", at = "4:4"} : () -> !int
  %na = "py.unary"(%n) {operator = "neg", at = "5:4"} : (!int) -> !int
  %qa = "py.binary"(%na, %four) {operator = "floordiv", at = "6:4"} : (!int, !int) -> !int
  %a = "py.unary"(%qa) {operator = "neg", at = "7:4"} : (!int) -> !int
  %nb = "py.unary"(%core) {operator = "neg", at = "8:4"} : (!int) -> !int
  %qb = "py.binary"(%nb, %back) {operator = "floordiv", at = "9:4"} : (!int, !int) -> !int
  %b = "py.unary"(%qb) {operator = "neg", at = "10:4"} : (!int) -> !int
  %nc = "py.unary"(%core) {operator = "neg", at = "11:4"} : (!int) -> !int
  %qc = "py.binary"(%nc, %four) {operator = "floordiv", at = "12:4", variable = "down"} : (!int, !int) -> !int
  %c = "py.unary"(%qc) {operator = "neg", at = "13:4"} : (!int) -> !int
  "asc.printf"(%qc, %c) {form = "desc: text, arguments: rest", format = "shown", at = "14:4"} : (!int, !int) -> ()
  %nd = "py.unary"(%core) {operator = "neg", at = "15:4"} : (!int) -> !int
  %qd = "py.binary"(%nd, %four) {operator = "floordiv", at = "16:4"} : (!int, !int) -> !int
  %d = "py.unary"(%qd) {operator = "neg", at = "17:4"} : (!int) -> !int
  "asc.printf"(%qd, %d) {form = "desc: text, arguments: rest", format = "shown", at = "18:4"} : (!int, !int) -> ()
  "asc.printf"(%a, %b) {form = "desc: text, arguments: rest", format = "shown", at = "19:4"} : (!int, !int) -> ()
}) {sym_name = "keeps_quotients_rounded_up_of_the_author", parameters = ["n", "m", "x"]} : () -> ()
