!int = !asc.scalar<"int64">
!float = !asc.scalar<"float32">
"py.func"() ({
^bb0(%n: !int, %m: !int, %x: !float):
  %zero = "py.constant"() {value = "0", at = "2:4"} : () -> !int
  %four = "py.constant"() {value = "4", at = "3:4"} : () -> !int
  %core = "asc.get_data_block_size_in_bytes"() {form = "", at = "4:4"} : () -> !int
  %sum = "py.binary"(%core, %four) {operator = "add", at = "5:4"} : (!int, !int) -> !int
  %a = "py.binary"(%sum, %four) {operator = "floordiv", at = "6:4"} : (!int, !int) -> !int
  %b = "py.binary"(%n, %four) {operator = "mod", at = "7:4"} : (!int, !int) -> !int
  %back = "py.constant"() {value = "-4", at = "8:4"} : () -> !int
  %c = "py.binary"(%core, %back) {operator = "floordiv", at = "9:4"} : (!int, !int) -> !int
  "py.for"(%n, %m) ({
  ^bb0(%i: !int):
    %d = "py.binary"(%i, %four) {operator = "mod", at = "11:4"} : (!int, !int) -> !int
    "asc.printf"(%d) {form = "desc: text, arguments: rest", format = "shown", at = "12:4"} : (!int) -> ()
  }) {step = #builtin.int<1>, variable = "i", at = "10:4"} : (!int, !int) -> ()
  "py.for"(%four, %zero) ({
  ^bb0(%j: !int):
    %e = "py.binary"(%j, %four) {operator = "mod", at = "15:4"} : (!int, !int) -> !int
    "asc.printf"(%e) {form = "desc: text, arguments: rest", format = "shown", at = "16:4"} : (!int) -> ()
  }) {step = #builtin.int<-1>, variable = "j", at = "14:4"} : (!int, !int) -> ()
  "asc.printf"(%a, %b, %c) {form = "desc: text, arguments: rest", format = "shown", at = "18:4"} : (!int, !int, !int) -> ()
}) {sym_name = "keeps_what_may_be_negative", parameters = ["n", "m", "x"]} : () -> ()
